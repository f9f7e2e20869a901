import { writeSync } from 'node:fs'

const PAUSE_MILLISECONDS = 2

/**
 * Writes all of the text to a file descriptor, in as many pieces as it takes. A reader that is slow is waited for; a
 * reader that is gone, or a full disk, throws. Node's own streams lose what is still in the pipe when a process ends.
 */
export function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  const gate = new Int32Array(new SharedArrayBuffer(4))
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(gate, 0, 0, PAUSE_MILLISECONDS)
    }
  }
}
