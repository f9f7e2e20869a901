import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
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

/** A commit of a Git repository on this machine. */
interface GitCommit {
  readonly id: string
  readonly message: string
  /** The first parent; undefined where there is none. */
  readonly parent?: string
}

const LINK = '120000'
const SUBMODULE = '160000'

/** Finds a commit. Throws `UserError` for an unknown commit, without a repository and without git. */
export function readCommit(
  repository: string,
  name: string,
  missing = `there is no commit ${name} in ${repository}`,
): GitCommit {
  const id = git(repository, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], missing)
    .toString()
    .trim()
  const [head = '', ...body] = git(repository, ['cat-file', 'commit', id]).toString().split('\n\n')
  const parent = /^parent ([0-9a-f]+)$/m.exec(head)?.[1]
  return { id, message: body.join('\n\n'), parent }
}

/** Writes the wanted files of a commit into a folder. */
export function writeCommitFiles(
  repository: string,
  commit: string,
  folder: string,
  isWanted: (path: string) => boolean,
): void {
  const missing = `${commit} is not in ${repository}: in a shallow clone, run git fetch --unshallow`
  const entries = git(repository, ['ls-tree', '-r', '-z', '--full-tree', commit], missing)
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t([\s\S]*)$/.exec(line) ?? []
      return path !== '' && mode !== SUBMODULE && isWanted(path) ? [{ mode, id, path }] : []
    })
  const contents = contentsOf(
    repository,
    entries.map(({ id }) => id),
  )
  const files = entries.map((entry, index) => ({ ...entry, content: contents[index] ?? Buffer.alloc(0) }))
  // links come last, so that no file is written through one
  for (const { mode, path, content } of files.sort((a, b) => Number(a.mode === LINK) - Number(b.mode === LINK))) {
    if (path.split('/').includes('..')) throw new UserError(`${path} is not a path of a repository`)
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    if (mode === LINK) symlinkSync(content.toString(), file)
    else writeFileSync(file, content)
  }
}

/** The contents of Git objects by one call of `git cat-file`: each follows a line with its length. */
function contentsOf(repository: string, ids: readonly string[]): Buffer[] {
  if (ids.length === 0) return []
  const output = git(repository, ['cat-file', '--batch'], undefined, `${ids.join('\n')}\n`)
  let at = 0
  return ids.map((id) => {
    const end = output.indexOf('\n', at)
    const size = Number(/^[0-9a-f]+ blob (\d+)$/.exec(output.subarray(at, end).toString())?.[1] ?? Number.NaN)
    if (Number.isNaN(size)) throw new UserError(`git has no object ${id} in ${repository}`)
    at = end + 1 + size + 1
    return output.subarray(end + 1, end + 1 + size)
  })
}

/** Runs git in a folder and returns its output. Throws `UserError` with `failure` and its first line of stderr. */
function git(repository: string, args: readonly string[], failure?: string, input?: string): Buffer {
  try {
    return execFileSync('git', ['-C', repository, ...args], {
      input,
      env: { ...process.env, LC_ALL: 'C', GIT_NO_REPLACE_OBJECTS: '1', GIT_NO_LAZY_FETCH: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 2 ** 31 - 1,
    })
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: Buffer }
    if (code === 'ENOENT') throw new UserError('git is not installed, and nodefit reads commits with it')
    const reason = stderr?.toString().trim().split('\n')[0] ?? ''
    throw new UserError(
      reason === '' ? (failure ?? 'git failed') : `${failure === undefined ? '' : `${failure}: `}${reason}`,
    )
  }
}
