import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UserError } from './user-error.ts'

/** Whether a path is a folder or below it, with links resolved. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(real(folder), real(path))
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

/** The path with links resolved; a missing file has none. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/**
 * The folder that all reads stay in: the Git repository of the working directory, or that directory without a
 * repository.
 */
export function confinement(): string {
  const start = realpathSync('.')
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return start
  }
}

/** Throws `UserError` for a path that is not below the working directory, or whose links lead out of `root`. */
export function requireBelow(root: string, path: string): void {
  if (path === '' || path === '-' || isAbsolute(path) || path.split(/[/\\]/).includes('..'))
    throw new UserError(
      `"${path}" is not a path below the folder of the Application: absolute paths, .. and - are refused`,
    )
  requireInside(root, path)
}

/** Throws `UserError` for an existing file or folder whose links lead out of `root`. */
export function requireInside(root: string, path: string): void {
  if (!existsSync(path)) return
  const real = relative(root, realpathSync(path))
  if (real === '..' || real.startsWith(`..${sep}`) || isAbsolute(real))
    throw new UserError(`${path} links to a place outside the repository: put a copy inside`)
}
