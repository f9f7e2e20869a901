import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../files/user-error.ts'

/** Writes files into a folder, all or none; `absent` must not be there either. Throws `UserError` for one that is. */
export function writeNewFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  absent: readonly string[] = [],
): void {
  const taken = [...Object.keys(files), ...absent].map((name) => join(folder, name)).find((path) => existsSync(path))
  if (taken !== undefined) throw new UserError(`${taken} is there already: give a new DIR, or move it away`)
  const firstMade = mkdirSync(folder, { recursive: true })
  const written: string[] = []
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name)
      writeFileSync(path, text, { flag: 'wx' })
      written.push(path)
    }
  } catch (error) {
    for (const path of written) rmSync(path, { force: true })
    if (firstMade !== undefined) rmSync(firstMade, { recursive: true, force: true })
    throw error
  }
}
