import { fstatSync, readFileSync, statSync } from 'node:fs'
import { UserError } from './user-error.ts'
import { writeAll } from './write-all.ts'

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
