import { writeSync } from 'node:fs'

const PAUSE_MILLISECONDS = 2
/** Code units that are encoded at once, and the most bytes that each of them takes in UTF-8. */
const PIECE = 1 << 16
const MOST_BYTES = 3
const GATE = new Int32Array(new SharedArrayBuffer(4))

/**
 * Writes all of a text to a file descriptor, or of several texts of whole characters as one, in as many pieces as it takes. A reader that is slow is waited
 * for; a reader that is gone, or a full disk, throws. Node's own streams lose what is still in the pipe when a process ends.
 */
export function writeAll(descriptor: number, text: string | readonly string[]): void {
  const texts = typeof text === 'string' ? [text] : text
  const length = texts.reduce((sum, one) => sum + one.length, 0)
  // one buffer for all: what is written makes room for what comes next
  const buffer = Buffer.allocUnsafe(2 * MOST_BYTES * (Math.min(length, PIECE) + 1))
  let used = 0
  for (const one of texts)
    for (const piece of piecesOf(one)) {
      if (used + piece.length * MOST_BYTES > buffer.length) {
        writeBytes(descriptor, buffer.subarray(0, used))
        used = 0
      }
      used += buffer.write(piece, used, 'utf8')
    }
  writeBytes(descriptor, buffer.subarray(0, used))
}

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE, text.length)
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    yield text.slice(start, end)
    start = end
  }
}

function writeBytes(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(GATE, 0, 0, PAUSE_MILLISECONDS)
    }
  }
}

/** The first half of a character that takes two code units; the halves must not be parted. */
function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
