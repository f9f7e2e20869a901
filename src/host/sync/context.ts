import type { Clock } from '../cluster/clock.ts'
import type { Secrets } from './secrets.ts'

/** What every part of the controller works with. One object for the life of the process; configurations come and go. */
export interface EngineContext {
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
  readonly secrets: Secrets
}

/** Fields of a log line besides its message: plain values by name. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

/** The log of the controller. Secrets are removed before a line is written. */
export interface Log {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** The same log with these fields in each line. */
  with(fields: Fields): Log
}

/** What the controller measures. Each method is one metric. */
export interface Meter {
  /** Nodes in the cache. */
  nodes(count: number): void
  /** An evaluation without a commit, and why: `inputs`, `effect`, `suspended`, `dryRun`, `stopped`. */
  suppressed(why: string): void
  /** The outcome of an evaluation: `unchanged`, `commit`, `stopped`, `error`; and its duration, unless it threw. */
  evaluated(outcome: string, seconds?: number): void
  /** Whether nothing is committed until a person acts, or a loss of nodes is confirmed. */
  guardHolds(isHolding: boolean): void
  /** The code of what is held; undefined where nothing is, or it has none. */
  held(code: string | undefined): void
  /** A commit that was accepted although a guard held it. */
  guardSettled(): void
  /** A commit that was made, and its effect: `rendered`, `inventory`, `failed`, `age`. */
  committed(effect: string): void
  /** The outcome of a push: `pushed`, `raced`, `refused`, `unreachable`; the reason is a key of `REASONS`. */
  pushed(outcome: string, reason: string): void
  /** A fetch that failed, as for a push. */
  fetchFailed(outcome: string, reason: string): void
  /** Whether a branch waits for a review. */
  reviewWaits(isWaiting: boolean): void
  /** A list or a watch that ended and is tried again, and why. */
  watchRestarted(resource: string, reason: string): void
  /** Objects of a list for which the watch sent no event. */
  missedByWatch(resource: string, count: number): void
  /** Bytes to or from a peer. */
  bytes(peer: 'git' | 'api', direction: 'sent' | 'received', count: number): void
  /** Bytes of the clone on disk. */
  cloneSize(bytes: number): void
  /** When the oldest pending change was seen, in milliseconds since 1970; undefined where none is pending. */
  waitingSince(time: number | undefined): void
  /** Whether a component works: `git`, `render`, `leader`, `watch-nodes`, `metricsAvailable`, … */
  component(name: string, isUp: boolean): void
  /** A component that failed and is restarted. */
  componentRestarted(name: string): void
  /** Drops the state of these components, or of all of them; the next `component` call sets it again. */
  forgetComponents(...names: string[]): void
  /** What became of a webhook: one of `HOOK_OUTCOMES`. */
  hooked(outcome: string): void
  /**
   * The codes of what the cluster has otherwise than what was rendered; empty where it has the same, undefined where
   * this process does not compare them any more.
   */
  clusterDiffers(codes: readonly string[] | undefined): void
  /** Sizes that usage has settled, and why: `Regular` at the schedule's time, `OOMKilled` by kills. */
  settled(why: string, count: number): void
  /** How many signed actions there are of each state. */
  actions(counts: ReadonlyMap<string, number>): void
  /** A configuration that was read: accepted or refused. */
  configured(isAccepted: boolean): void
}
