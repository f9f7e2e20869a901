import type { Clock } from '../clock.ts'
import type { Checkout, Commit, Person } from '../commit.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Secrets } from '../secrets.ts'
import type { FailureKind, Reason } from './rejections.ts'

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

/** A push that did not succeed. */
export interface Rejected {
  readonly kind: FailureKind
  readonly reason: Reason
  /** What the other side said, without secrets. */
  readonly text: string
  /** What helps. */
  readonly mend: string
  /** Milliseconds that the other side asks to wait. */
  readonly retryAfter?: number
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
