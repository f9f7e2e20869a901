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
