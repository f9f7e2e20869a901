/** What the controller counts, each as a metric of its own. */
export interface Meter {
  /** Nodes in the cache. */
  nodes(count: number): void
  /** An evaluation that made no commit, and why: `inputs`, `effect`, `suspended`, `dryRun`, `stopped`. */
  suppressed(why: string): void
  /** An evaluation that ended with this: `unchanged`, `commit`, `stopped`, `error`; how long it took, where it came to an end. */
  evaluated(outcome: string, seconds?: number): void
  /** A commit that was made, and what for: `rendered`, `inventory`, `failed`, `age`. */
  committed(effect: string): void
  /** A push that ended: `pushed`, `raced`, `refused`, `unreachable`; the reason is a row of the table of rejections. */
  pushed(outcome: string, reason: string): void
  /** A watch that began anew, and why. */
  watchRestarted(resource: string, reason: string): void
  /** Objects that a list had and the watch had missed. */
  missedByWatch(resource: string, count: number): void
  /** Bytes to or from a peer. */
  bytes(peer: 'git' | 'api', direction: 'sent' | 'received', count: number): void
  /** Bytes of the clone on disk. */
  cloneSize(bytes: number): void
  /** Since when a change waits, in milliseconds since 1970; undefined where none does. */
  waitingSince(time: number | undefined): void
  /** Whether a part works: `watch`, `git`, `render`, `leader`, `metricsAvailable`, … */
  component(name: string, isUp: boolean): void
  /** What was said of these components, or of all, is over: whoever goes on says it anew. */
  forgetComponents(...names: string[]): void
  /** A configuration that was read: taken or not. */
  configured(isTaken: boolean): void
}

const nothing = (): void => {}

/** Counts nothing. */
export const silentMeter: Meter = {
  nodes: nothing,
  suppressed: nothing,
  evaluated: nothing,
  committed: nothing,
  pushed: nothing,
  watchRestarted: nothing,
  missedByWatch: nothing,
  bytes: nothing,
  cloneSize: nothing,
  waitingSince: nothing,
  component: nothing,
  forgetComponents: nothing,
  configured: nothing,
}
