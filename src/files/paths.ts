import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UserError } from './user-error.ts'

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

/**
 * The folder that nothing is read from outside of: the Git repository the working directory is in, or that directory itself where there
 * is no repository.
 */
export function confinement(): string {
  const start = realpathSync('.')
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return start
  }
}

/** Throws `UserError` for a path that is not below the working directory as it is written, or whose links lead out of a folder. */
export function requireBelow(root: string, path: string): void {
  if (path === '' || path === '-' || isAbsolute(path) || path.split(/[/\\]/).includes('..'))
    throw new UserError(`"${path}" is no path below the Application's folder: absolute paths, .. and - are refused`)
  requireInside(root, path)
}

/** Throws `UserError` for a file or folder whose links lead out of a folder. What is not there leads nowhere. */
export function requireInside(root: string, path: string): void {
  if (!existsSync(path)) return
  const real = relative(root, realpathSync(path))
  if (real === '..' || real.startsWith(`..${sep}`) || isAbsolute(real))
    throw new UserError(`${path} is a link that leads out of the repository`)
}
