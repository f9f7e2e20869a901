import { isUtf8 } from 'node:buffer'
import { readSync } from 'node:fs'
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
