import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { writeAll } from './stdio.ts'
import { UserError } from './user-error.ts'

const PERMISSIONS = 0o777

/**
 * Writes a file atomically: a draft beside it, then a rename. An existing file keeps its permissions, a symbolic link
 * its target. Throws `UserError` and leaves the file unchanged where that fails.
 */
export function writeFileAtomically(file: string, text: string): void {
  try {
    const present = statSync(file, { throwIfNoEntry: false })
    if (present !== undefined && !present.isFile())
      throw new UserError(
        `${file} is ${present.isDirectory() ? 'a folder' : 'not a regular file'}: give the path of a file`,
      )
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

/**
 * Writes new files into a folder, all or none, and then does what goes with them. Throws `UserError` if one of them or
 * of `absent` exists.
 */
export function writeNewFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  absent: readonly string[] = [],
  then: () => void = () => {},
): void {
  const taken = [...Object.keys(files), ...absent].map((name) => join(folder, name)).find((path) => existsSync(path))
  if (taken !== undefined) throw new UserError(`${taken} already exists: give a new DIR, or move it away`)
  const firstMade = mkdirSync(folder, { recursive: true })
  const written: string[] = []
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name)
      writeFileSync(path, text, { flag: 'wx' })
      written.push(path)
    }
    then()
  } catch (error) {
    for (const path of written) rmSync(path, { force: true })
    if (firstMade !== undefined) rmSync(firstMade, { recursive: true, force: true })
    throw error
  }
}
