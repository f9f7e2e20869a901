import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { UserError } from './user-error.ts'
import { writeAll } from './write-all.ts'

const PERMISSIONS = 0o777

/**
 * Writes a file whole or not at all: beside it first, then in its place. A file that is there keeps its permissions, a symbolic
 * link its target. Throws `UserError`, and leaves what was there, where that cannot be done.
 */
export function writeFileWhole(file: string, text: string): void {
  try {
    const present = statSync(file, { throwIfNoEntry: false })
    if (present !== undefined && !present.isFile())
      throw new UserError(`${file} is ${kindOf(present)}, and only a file can be written whole or not at all`)
    replace(present === undefined ? file : realpathSync(file), text, present)
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${file} could not be written: ${(error as Error).message}`)
  }
}

function replace(file: string, text: string, present: Stats | undefined): void {
  const folder = mkdtempSync(join(dirname(file), '.nodefit-'))
  const draft = join(folder, 'output')
  try {
    const descriptor = openSync(draft, 'wx')
    try {
      if (present !== undefined) fchmodSync(descriptor, present.mode & PERMISSIONS)
      writeAll(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function kindOf(present: Stats): string {
  return present.isDirectory() ? 'a folder' : 'no regular file'
}
