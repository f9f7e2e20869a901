import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** Whether a path is a folder or lies below it, whatever links lead there. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(real(folder), real(path))
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

/** What is not there yet has no links. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
