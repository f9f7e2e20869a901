import { writeSync } from 'node:fs'

const PAUSE_MILLISECONDS = 2
const PIECE = 1 << 16
const GATE = new Int32Array(new SharedArrayBuffer(4))

/**
 * Writes all of the text to a file descriptor, in as many pieces as it takes. A reader that is slow is waited for; a
 * reader that is gone, or a full disk, throws. Node's own streams lose what is still in the pipe when a process ends.
 */
export function writeAll(descriptor: number, text: string): void {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE, text.length)
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    writeBytes(descriptor, Buffer.from(text.slice(start, end), 'utf8'))
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
