import type { Clock } from '../clock.ts'
import type { Meter } from '../meter.ts'
import type { Changes, Waiting } from './changes.ts'
import { dueAt, type Past, type Windows } from './due.ts'
import { Retries } from './retries.ts'

/** How a look at the cluster and at Git ended. */
export interface RoundResult {
  /** `done`: what is in Git is what should be there; else what kept it from that. */
  readonly outcome: 'done' | 'pushed' | 'stopped' | 'refused' | 'unreachable'
  /** The next instant at which the same input gives something else, in milliseconds since 1970. */
  readonly until?: number
  /** What the other side asked for before the next try, in milliseconds. */
  readonly retryAfter?: number
}

/** What a loop needs of its surroundings. */
export interface LoopOptions {
  readonly windows: Windows
  readonly clock: Clock
  readonly meter: Meter
  readonly changes: Changes
  /** Looks at the cluster and at Git, and makes them agree. */
  readonly round: (signal: AbortSignal) => Promise<RoundResult>
  /** The loop has turned. */
  readonly tick: () => void
  readonly signal: AbortSignal
}

/** So often the loop turns at least, so that a probe can tell that it does. */
export const LONGEST_WAIT = 10_000

/** Evaluates when it is due, for as long as it is let; what failed is tried again, later each time. */
export async function runLoop({ windows, clock, meter, changes, round, tick, signal }: LoopOptions): Promise<void> {
  const retries = new Retries()
  let past: Past = {}
  let stuck: Waiting | undefined
  while (!signal.aborted) {
    tick()
    // a clock that was set back would make everything wait for what it says is to come
    if (clock.now() < (past.evaluatedAt ?? 0)) past = {}
    meter.waitingSince(stuck?.first ?? changes.waiting?.first)
    const wait = dueAt({ ...past, waiting: changes.waiting }, windows) - clock.now()
    if (wait > 0) {
      await changes.next(Math.min(wait, LONGEST_WAIT), signal)
      continue
    }
    const taken = changes.take()
    const began = clock.now()
    const { outcome, until, retryAfter } = await round(signal)
    if (signal.aborted) break
    const isDone = outcome === 'done' || outcome === 'pushed'
    // what a guard stopped goes on as soon as the cluster changes, or somebody has changed Git
    const failure = isDone || outcome === 'stopped' ? undefined : outcome
    stuck = isDone ? undefined : { first: stuck?.first ?? taken?.first ?? began, newest: began }
    past = {
      evaluatedAt: began,
      pushedAt: outcome === 'pushed' ? clock.now() : past.pushedAt,
      until,
      notBefore: failure === undefined ? undefined : clock.now() + retries.next(failure, retryAfter),
    }
    // what was not dealt with is due as soon as it may be tried again
    if (failure !== undefined) changes.putBack(stuck)
    else retries.reset()
  }
  meter.waitingSince(undefined)
}
