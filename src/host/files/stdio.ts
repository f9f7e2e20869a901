import { constants, isUtf8 } from 'node:buffer'
import { fstatSync, readFileSync, readSync, statSync, writeSync } from 'node:fs'
import { KrmError } from '../../krm/error.ts'
import { UserError } from './user-error.ts'

const CHUNK = 1 << 16
const PAUSE_MILLISECONDS = 2
/** The byte order marks of UTF-16, little and big endian. */
const UTF16: Readonly<Record<string, 'le' | 'be' | undefined>> = { fffe: 'le', feff: 'be' }

/**
 * The text of a file descriptor. Throws `UserError` for a read error, `KrmError` for more than `limit` bytes and for
 * text that is not UTF-8.
 */
export function readAll(descriptor: number, limit = Number.POSITIVE_INFINITY): string {
  let total = 0
  const chunks: Buffer[] = []
  const gate = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK)
    try {
      const length = readSync(descriptor, chunk)
      if (length === 0) break
      total += length
      if (total <= limit) chunks.push(chunk.subarray(0, length))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'EOF') break
      if (code !== 'EAGAIN') throw new UserError(`the input could not be read: ${message}`)
      Atomics.wait(gate, 0, 0, PAUSE_MILLISECONDS)
    }
  }
  // all of it is read, so that the host that writes it sees no broken pipe
  if (total > limit) throw new KrmError('TooLarge', `the input has ${total} bytes, and may have ${limit}`)
  if (total > MOST_BYTES_OF_TEXT) throw tooLong('the input', total)
  return toText(Buffer.concat(chunks), 'the input')
}

/**
 * Bytes as text without a byte order mark: of UTF-8, or of UTF-16 where the mark says so, as PowerShell writes it.
 * Throws `KrmError` for other bytes.
 */
export function toText(bytes: Buffer, name: string): string {
  const utf16 = bytes.length % 2 === 0 ? UTF16[bytes.subarray(0, 2).toString('hex')] : undefined
  if (utf16 !== undefined) {
    const text = (utf16 === 'be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le').slice(1)
    if (text.isWellFormed()) return text
  }
  if (!isUtf8(bytes)) throw new KrmError('NotText', `${name} is not UTF-8 text`)
  const text = bytes.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** The bytes that V8 holds as one text. */
export const MOST_BYTES_OF_TEXT = constants.MAX_STRING_LENGTH

/** The error for what is longer than one text can be. */
export function tooLong(name: string, bytes: number): KrmError {
  const mebibytes = (count: number) => `${Math.round(count / (1 << 20))} MiB`
  return new KrmError(
    'TooLarge',
    `${name} has ${mebibytes(bytes)}, and one text may have ${mebibytes(MOST_BYTES_OF_TEXT)}: write it without white space (jq -c .), whole as it is: a part of it would be taken for all there is. Or let nodefit sync read the cluster, which needs no list`,
  )
}

/** Code units that are encoded at once, and the most bytes of each in UTF-8. */
const PIECE = 1 << 16
const MOST_BYTES = 3
const GATE = new Int32Array(new SharedArrayBuffer(4))

/**
 * Writes a text, or several as one, to a file descriptor. Waits for a slow reader; throws where the reader is gone or
 * the disk is full. Node's streams would lose what is in the pipe when the process ends. No text may end within a
 * character.
 */
export function writeAll(descriptor: number, text: string | readonly string[]): void {
  const texts = typeof text === 'string' ? [text] : text
  const length = texts.reduce((sum, part) => sum + part.length, 0)
  // one buffer for all pieces bounds the memory
  const buffer = Buffer.allocUnsafe(2 * MOST_BYTES * (Math.min(length, PIECE) + 1))
  let used = 0
  for (const part of texts)
    for (const piece of piecesOf(part)) {
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

/** Whether a code unit is the first of a surrogate pair, which must not be split. */
function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

const STDOUT = 1
const ACCESS_MODE = 3
const READ_AND_WRITE = 2

/**
 * Writes a text, or several as one, to stdout. Throws `UserError` where stdout is closed or does not take all of it.
 */
export function writeOutput(text: string | readonly string[]): void {
  if (isClosedAtStart())
    throw new UserError(
      'the output could not be written: stdout is closed, or it is /dev/null opened for reading too; to discard the output, use > /dev/null',
    )
  writeStdout(text, () => false)
}

/**
 * Writes what is only looked at, and applied by nobody, to stdout. Throws as `writeOutput`, but not where the reader
 * has gone, or there never was one: with `| head` somebody has seen enough, and a check may be asked for its exit code
 * alone.
 */
export function writeView(text: string | readonly string[]): void {
  writeStdout(text, ({ code }) => code === 'EPIPE')
}

function writeStdout(text: string | readonly string[], isFine: (error: NodeJS.ErrnoException) => boolean): void {
  try {
    writeAll(STDOUT, text)
  } catch (error) {
    if (!isFine(error as NodeJS.ErrnoException))
      throw new UserError(`the output could not be written: ${(error as Error).message}`)
  }
}

/**
 * Whether stdout was closed at the start: Node then opens /dev/null for reading and writing, while a shell opens it for
 * writing only. Only Linux shows how a file was opened. Python's DEVNULL and Node's `ignore` look like a closed stdout
 * and are refused, too: output must not be lost silently.
 */
function isClosedAtStart(): boolean {
  try {
    const stdout = fstatSync(STDOUT)
    if (!stdout.isCharacterDevice() || stdout.rdev !== statSync('/dev/null').rdev) return false
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${STDOUT}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & ACCESS_MODE) === READ_AND_WRITE
  } catch {
    // unknown: a failing write is reported later
    return false
  }
}
