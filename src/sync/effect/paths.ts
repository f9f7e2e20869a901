import { posix } from 'node:path'
import { Failure } from '../../files/failure.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: what ends a line of a commit's message
const CONTROL = /[\x00-\x1f\x7f]/

/** A path of a repository as Git writes it. Throws `Failure` for one that leads out of the repository. */
export function repositoryPath(path: string): string {
  const way = posix.normalize(path.replaceAll('\\', '/')).replace(/\/$/, '')
  const parts = way.split('/')
  if (path === '' || posix.isAbsolute(way) || parts.includes('..') || parts.includes('.git') || CONTROL.test(way))
    throw new Failure(`"${path}" is no path of the repository: it is written from its root, without .. and .git`)
  return way
}

/** Whether a path of a repository is a folder of it or lies below that. */
export function isBelow(folder: string, path: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`)
}
