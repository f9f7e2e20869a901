import { isUtf8 } from 'node:buffer'
import { fstatSync, readFileSync, readSync, statSync, writeSync } from 'node:fs'
import { KrmError } from '../krm/error.ts'
import { UserError } from './user-error.ts'

const CHUNK = 1 << 16
const PAUSE_MILLISECONDS = 2

/** All of a file descriptor as text. Throws `UserError` where it cannot be read, `KrmError` where it is not UTF-8. */
export function readAll(descriptor: number): string {
  const chunks: Buffer[] = []
  const gate = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK)
    try {
      const length = readSync(descriptor, chunk)
      if (length === 0) break
      chunks.push(chunk.subarray(0, length))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'EOF') break
      if (code !== 'EAGAIN') throw new UserError(`the input could not be read: ${message}`)
      Atomics.wait(gate, 0, 0, PAUSE_MILLISECONDS)
    }
  }
  return toText(Buffer.concat(chunks), 'the input')
}

/** Bytes as text; a byte order mark is left out. Throws `KrmError` where they are not UTF-8. */
export function toText(bytes: Buffer, name: string): string {
  if (!isUtf8(bytes)) throw new KrmError('NotText', `${name} is not UTF-8 text`)
  const text = bytes.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

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

const STDOUT = 1
const ACCESS_MODE = 3
const READ_AND_WRITE = 2

/** Writes to stdout what somebody waits for, a text or several as one. Throws `UserError` where not all of it arrived, or stdout is closed. */
export function writeOutput(text: string | readonly string[]): void {
  if (isReplaced())
    throw new UserError(
      'the output could not be written: stdout is closed, or it is /dev/null opened for reading too; to throw the output away, write > /dev/null',
    )
  try {
    writeAll(STDOUT, text)
  } catch (error) {
    throw new UserError(`the output could not be written: ${(error as Error).message}`)
  }
}

/**
 * Whether Node put /dev/null in the place of a stdout that was closed when it started, for reading and writing; a shell
 * opens it for writing only. Only Linux tells how a file was opened. Python's DEVNULL and Node's own `ignore` cannot be
 * told from a closed stdout, and are taken for one: the output is not to be lost without a word.
 */
function isReplaced(): boolean {
  try {
    const stdout = fstatSync(STDOUT)
    if (!stdout.isCharacterDevice() || stdout.rdev !== statSync('/dev/null').rdev) return false
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${STDOUT}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & ACCESS_MODE) === READ_AND_WRITE
  } catch {
    // it cannot be told: what fails is said when it is written
    return false
  }
}
