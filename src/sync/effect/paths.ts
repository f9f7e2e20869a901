import { posix } from 'node:path'
import { UserError } from '../../files/user-error.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: what ends a line of a commit's message
const CONTROL = /[\x00-\x1f\x7f]/

/** A path of a repository as Git writes it. Throws `UserError` for one that leads out of the repository. */
export function repositoryPath(path: string): string {
  const way = posix.normalize(path.replaceAll('\\', '/')).replace(/\/$/, '')
  const parts = way.split('/')
  if (path === '' || posix.isAbsolute(way) || parts.includes('..') || parts.includes('.git') || CONTROL.test(way))
    throw new UserError(`"${path}" is no path of the repository: it is written from its root, without .. and .git`)
  return way
}

/** Whether a path of a repository is a folder of it or lies below that. */
export function isBelow(folder: string, path: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`)
}
