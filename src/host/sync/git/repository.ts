import { createHash } from 'node:crypto'
import type { EngineContext } from '../context.ts'
import type { Rejected } from './failure.ts'

/** The author or the committer of a commit. */
export interface Person {
  readonly name: string
  readonly email: string
}

/** The changes of a commit. Paths begin at the root of the repository, with `/` between folders. */
export interface FileChanges {
  readonly write: ReadonlyMap<string, string>
  readonly remove: readonly string[]
}

/** A commit that is to be made on top of a checkout. */
export interface Commit {
  readonly changes: FileChanges
  readonly message: string
  /**
   * Identifies the change while it waits for a review, relative to the checkout. Default: the digest of all changes.
   */
  readonly digest?: string
}

/** A commit of the branch, and the folder with its files, which is valid until the next fetch. */
export interface Checkout {
  /** Empty where the branch does not exist yet. */
  readonly commit: string
  readonly path: string
  /** The message of the commit. */
  readonly message?: string
}

/** A commit that the remote has. */
export interface Pushed {
  readonly kind: 'pushed'
  readonly commit: string
  readonly branch: string
  /** The page of the commit; for a review the page that opens a pull request. */
  readonly url?: string
  /** The remote had the commit or the branch already, and nothing was sent. */
  readonly existed?: boolean
  /** Whether the branch waits for a review. */
  readonly isReview?: boolean
}

/** A commit of nodefit sync to a folder. */
export interface OwnCommit {
  readonly clusterUid?: string
  /** The inventory as it was written then; undefined where that of the head is one of nodefit sync, too. */
  readonly inventory?: string
}

export type PushResult = Pushed | Rejected

/** One branch of one remote. */
export interface Repository {
  /** Fetches the head of the branch. Rejects with `GitFailure`. */
  fetch(signal?: AbortSignal): Promise<Checkout>
  /** Pushes a commit on top of a checkout, unless the branch has moved. Rejects only for an invalid path. */
  push(base: Checkout, commit: Commit, signal?: AbortSignal): Promise<PushResult>
  /**
   * Returns the newest commit of nodefit sync of a cluster to a folder, from the history of a checkout, of which it
   * reads as much as it needs; undefined where none of the last 500 commits is. Rejects with `GitFailure`.
   */
  lastOwn(checkout: Checkout, of: OwnFolder, signal?: AbortSignal): Promise<OwnCommit | undefined>
  /** Bytes of the clone on disk. */
  size(): Promise<number>
}

/** The folder that a cluster writes, and the file of its inventory. */
export interface OwnFolder {
  readonly cluster: string
  readonly folder: string
  readonly inventory: string
}

export interface RepositoryOptions {
  /** https, http, ssh, `user@host:path`, or file. */
  readonly url: string
  readonly branch: string
  /** The folder of a mounted Secret, which is read again for each operation. */
  readonly credentials?: string
  readonly author: Person
  readonly committer: Person
  readonly signOff: boolean
  readonly signing?: { readonly format: 'ssh'; readonly key: string }
  readonly pushVia: 'git' | 'github'
  readonly pushOptions: readonly string[]
  /**
   * Where present, each change is pushed to a branch of its own: the prefix, the cluster, and the digest of the change.
   */
  readonly review?: { readonly prefix: string; readonly cluster: string }
  /** The folder of the clone, which may be deleted at any time. */
  readonly folder: string
  /** Milliseconds for one fetch or push. */
  readonly timeout: number
  readonly context: EngineContext
}

/** A path that nodefit sync may not write. */
export class InvalidPathError extends Error {}

/** An entry of a commit's tree: a file, a symbolic link, or a submodule. */
interface TreeEntry {
  readonly mode: string
  readonly object: string
}

/** The entries of a commit by path, and their folders. */
export interface Tree {
  readonly entries: ReadonlyMap<string, TreeEntry>
  readonly folders: ReadonlySet<string>
}

/** Parses the output of `git ls-tree -r -z`. */
export function parseTree(listing: Buffer): Tree {
  const entries = new Map<string, TreeEntry>()
  const folders = new Set<string>()
  for (const line of listing.toString().split('\0')) {
    const [, mode, object, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    if (mode === undefined || object === undefined || path === undefined) continue
    entries.set(path, { mode, object })
    for (const folder of foldersOf(path)) folders.add(folder)
  }
  return { entries, folders }
}

const REGULAR_MODES = new Set(['100644', '100755'])

/**
 * Throws `InvalidPathError` for a path that is not normalized or leads out of the repository, that may mean `.git`,
 * that has a link or a file where it needs a folder, or that is a folder.
 */
export function requireWritablePath(path: string, { entries, folders }: Tree): void {
  const parts = path.split('/')
  // NTFS and HFS+ read some other names as .git too
  const isInvalid = (part: string) => /^(?:|\.|\.\.|git~\d+|\.git[\s.]*)$/i.test(part) || /[\p{Cc}\p{Cf}\\]/u.test(part)
  if (parts.some(isInvalid)) throw new InvalidPathError(`"${path}" must be a path within the repository`)
  if (folders.has(path)) throw new InvalidPathError(`cannot write "${path}": it is a folder`)
  for (const [index] of parts.entries()) {
    const ancestor = parts.slice(0, index + 1).join('/')
    const entry = entries.get(ancestor)
    if (entry === undefined) continue
    if (ancestor !== path)
      throw new InvalidPathError(`cannot write "${path}": ${ancestor} is a ${entryKind(entry)}, not a folder`)
    if (!REGULAR_MODES.has(entry.mode))
      throw new InvalidPathError(`cannot write "${path}": it is a ${entryKind(entry)}`)
  }
}

/** Throws `InvalidPathError` where a path is a folder of another one. */
export function requireDisjointPaths(paths: readonly string[]): void {
  const folders = new Set(paths.flatMap(foldersOf))
  for (const path of paths)
    if (folders.has(path))
      throw new InvalidPathError(`cannot write "${path}": other files are in a folder of that name`)
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

const entryKind = ({ mode }: TreeEntry): string =>
  mode === '120000' ? 'symbolic link' : mode === '160000' ? 'submodule' : 'file'

/** The changes without those that the commit `base`, with this tree, has already. */
export function effectiveChanges({ write, remove }: FileChanges, { entries }: Tree, base: string): FileChanges {
  const algorithm = base.length === 64 ? 'sha256' : 'sha1'
  return {
    write: new Map([...write].filter(([path, text]) => entries.get(path)?.object !== blobId(text, algorithm))),
    remove: remove.filter((path) => entries.has(path) && !write.has(path)),
  }
}

/** The object ID of a file. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function blobId(text: string, algorithm: 'sha1' | 'sha256'): string {
  const bytes = Buffer.from(text)
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
