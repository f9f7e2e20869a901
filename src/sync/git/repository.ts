import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Secrets } from '../secrets.ts'
import type { Rejected } from './failure.ts'

/** Who a commit is by. */
export interface Person {
  readonly name: string
  readonly email: string
}

/** What a commit does to files; paths are from the repository's root, with `/` between folders. */
export interface FileChanges {
  readonly write: ReadonlyMap<string, string>
  readonly remove: readonly string[]
}

/** A commit that is to be made on top of a checkout. */
export interface Commit {
  readonly changes: FileChanges
  readonly message: string
  /** By what the change is known while it waits for somebody, on top of what it was made for; undefined: by all that it does to files. */
  readonly digest?: string
}

/** A commit of the branch, and the folder with its files, which is good until the next fetch. */
export interface Checkout {
  /** Empty where the branch does not exist yet. */
  readonly commit: string
  readonly path: string
}

/** A commit that the remote has. */
export interface Pushed {
  readonly kind: 'pushed'
  readonly commit: string
  readonly branch: string
  /** Where it can be looked at, or with a branch for review: where its change can be asked for. */
  readonly url?: string
  /** The branch for review was there already, and nothing was sent. */
  readonly existed?: boolean
}

export type PushResult = Pushed | Rejected

/** One branch of one remote. */
export interface Repository {
  /** The branch as the remote has it now. Throws `GitFailure`. */
  fetch(signal?: AbortSignal): Promise<Checkout>
  /** Puts a commit on top of a checkout's, if the branch still is there. Throws only for a path that nobody may write. */
  push(base: Checkout, commit: Commit, signal?: AbortSignal): Promise<PushResult>
  /** Bytes of the clone on disk. */
  size(): Promise<number>
}

export interface RepositoryOptions {
  /** https, http, ssh, `user@host:path`, or file. */
  readonly url: string
  readonly branch: string
  /** A folder with the files of a Secret; it is read anew for each operation. */
  readonly credentials?: string
  readonly author: Person
  readonly committer: Person
  readonly signOff: boolean
  readonly signing?: { readonly format: 'ssh'; readonly key: string }
  readonly pushVia: 'git' | 'github'
  readonly pushOptions: readonly string[]
  /** Pushes to a branch of its own: the prefix, the cluster, and a digest of the changes. */
  readonly review?: { readonly prefix: string; readonly cluster: string }
  /** Where the clone is kept; nothing is lost with it. */
  readonly folder: string
  readonly secrets: Secrets
  readonly meter: Meter
  readonly log: Log
  readonly clock: Clock
  /** Milliseconds for one fetch or push. */
  readonly timeout: number
}
