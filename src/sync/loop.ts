import type { Clock } from './clock.ts'
import { Retries } from './loop-retries.ts'
import type { Meter } from './meter.ts'

/** How long the loop waits, in milliseconds. */
export interface Windows {
  /** A change waits until nothing else has changed for so long. */
  readonly quietWindow: number
  /** It waits no longer than this, however much else changes. */
  readonly maxWindow: number
  /** Between two pushes. */
  readonly minPushInterval: number
  /** Without any change, between two evaluations. */
  readonly reconcileInterval: number
}

/** What the loop knows of its past; times in milliseconds since 1970. */
export interface Past {
  /** The first and the newest change that no evaluation has seen. */
  readonly waiting?: { readonly first: number; readonly newest: number }
  readonly evaluatedAt?: number
  readonly pushedAt?: number
  /** The next instant at which the same input renders something else. */
  readonly until?: number
  /** Before this nothing is tried again, since something failed. */
  readonly notBefore?: number
}

/**
 * When to evaluate next, in milliseconds since 1970; at once where nothing was evaluated yet. A change waits for its windows; an
 * instant at which something happens by itself waits for none; nothing comes sooner after a push than the interval allows.
 */
export function dueAt({ waiting, evaluatedAt, pushedAt, until, notBefore }: Past, windows: Windows): number {
  if (evaluatedAt === undefined) return notBefore ?? 0
  const { quietWindow, maxWindow, minPushInterval, reconcileInterval } = windows
  const reasons = [evaluatedAt + reconcileInterval]
  // an instant that the evaluation has seen is over
  if (until !== undefined && until > evaluatedAt) reasons.push(until)
  if (waiting !== undefined) reasons.push(Math.min(waiting.newest + quietWindow, waiting.first + maxWindow))
  const earliest = pushedAt === undefined ? 0 : pushedAt + minPushInterval
  return Math.max(Math.min(...reasons), earliest, notBefore ?? 0)
}

/** Changes that nobody has looked at yet: when the first and the newest of them came, in milliseconds since 1970. */
export interface Waiting {
  readonly first: number
  readonly newest: number
}

/** Remembers that something changed, and wakes whoever waits for it. */
export class Changes {
  readonly #clock: Clock
  #waiting: Waiting | undefined
  #wake: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get waiting(): Waiting | undefined {
    return this.#waiting
  }

  /** Something changed. */
  add(): void {
    const now = this.#clock.now()
    this.#waiting = { first: this.#waiting?.first ?? now, newest: now }
    this.#wake()
  }

  /** Takes what waits: it is being looked at. */
  take(): Waiting | undefined {
    const taken = this.#waiting
    this.#waiting = undefined
    return taken
  }

  /** What was taken could not be dealt with, and goes on waiting. */
  putBack(taken: Waiting | undefined): void {
    if (taken === undefined) return
    this.#waiting = { first: taken.first, newest: this.#waiting?.newest ?? taken.newest }
  }

  /** Ends at the next change, after so many milliseconds, or when the signal is aborted. */
  async next(milliseconds: number, signal: AbortSignal): Promise<void> {
    const awake = new AbortController()
    this.#wake = () => awake.abort()
    await this.#clock.sleep(milliseconds, AbortSignal.any([signal, awake.signal]))
    this.#wake = () => {}
  }
}

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
