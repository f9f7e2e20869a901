import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { git, readCommit, writeCommitFiles } from './git-commit.ts'
import { isWithin } from './paths.ts'
import { statOf } from './read-text.ts'
import { UserError } from './user-error.ts'

/** The files of a Git revision in a folder of its own. */
export interface Revision {
  readonly root: string
  /** Where each path is below that folder; only those that the revision has. */
  readonly places: ReadonlyArray<{ readonly path: string; readonly place: string }>
  /** The folder that the revision names after a colon, below that folder. */
  readonly folder?: string
  /** Removes the folder. */
  close(): void
}

/**
 * Writes files of a Git revision into a temporary folder: those of `paths`, or with `REVISION:FOLDER` that folder of
 * the repository. The repository is that of the first path. Throws `UserError` for an unknown revision or folder,
 * outside a repository, and without git.
 */
export function openRevision(name: string, paths: readonly string[]): Revision {
  const [first = '.'] = paths
  if (paths.includes('-')) throw new UserError(`stdin has no revision ${name}: give the package as a PATH`)
  const from = statOf(first)?.isDirectory() === false ? dirname(first) : first
  const top = git(from, ['rev-parse', '--show-toplevel'], `${first} is not in a Git repository`).toString().trimEnd()
  const colon = name.indexOf(':')
  const { id } = readCommit(
    top,
    colon < 0 ? name : name.slice(0, colon),
    `there is neither a folder nor a commit ${name}`,
  )
  const named = colon < 0 ? undefined : join(name.slice(colon + 1), '.')
  const wanted = named === undefined ? paths.map((path) => ({ path, inside: pathInside(top, path) })) : []
  const parts = named === undefined ? wanted.map(({ inside }) => inside) : [named]
  const root = mkdtempSync(join(tmpdir(), 'nodefit-revision-'))
  const close = () => rmSync(root, { recursive: true, force: true })
  try {
    writeCommitFiles(top, id, root, (path) => parts.some((part) => isBelow(part, path)))
    const places = wanted.map(({ path, inside }) => ({ path, place: join(root, inside) }))
    const folder = named === undefined ? undefined : join(root, named)
    if (folder !== undefined && statOf(folder) === undefined)
      throw new UserError(`${name.slice(0, colon)} has no folder ${named}`)
    return { root, places: places.filter(({ place }) => statOf(place) !== undefined), folder, close }
  } catch (error) {
    close()
    throw error
  }
}

function pathInside(top: string, path: string): string {
  if (!isWithin(top, path)) throw new UserError(`${path} is not in the repository ${top}`)
  return relative(realpathSync(top), realpathSync(path)) || '.'
}

function isBelow(folder: string, path: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`)
}
