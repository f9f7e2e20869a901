import type { Clock } from '../cluster/clock.ts'
import { BACKOFF, Backoff } from './backoff.ts'
import type { EngineContext } from './context.ts'

/** How long the loop waits, in milliseconds. */
export interface Windows {
  /** A change is evaluated once nothing else has changed for this long. */
  readonly quietWindow: number
  /** A change is evaluated after this long, however much else changes. */
  readonly maxWindow: number
  /** The least time between two pushes. */
  readonly minPushInterval: number
  /** The longest time between two evaluations. */
  readonly reconcileInterval: number
}

/** The least time between two evaluations that are requested, in milliseconds. */
const REQUEST_INTERVAL = 5_000

/** Pending changes: when the first and the newest of them came, in milliseconds since 1970. */
export interface PendingChanges {
  readonly first: number
  readonly newest: number
}

/** What the next evaluation depends on; times in milliseconds since 1970. */
export interface LoopState {
  /** The changes since the last evaluation. */
  readonly pending?: PendingChanges
  /** When somebody asked for an evaluation, as a webhook does. */
  readonly requestedAt?: number
  readonly evaluatedAt?: number
  readonly pushedAt?: number
  /** When the same input next gives another result. */
  readonly until?: number
  /** The end of the backoff after a failure. */
  readonly notBefore?: number
}

/**
 * When to evaluate next, in milliseconds since 1970; at once before the first evaluation. A change waits for its
 * windows, `until` and a request wait for none. Nothing is evaluated before minPushInterval has passed since a push.
 */
export function dueAt(
  { pending, requestedAt, evaluatedAt, pushedAt, until, notBefore }: LoopState,
  windows: Windows,
): number {
  if (evaluatedAt === undefined) return notBefore ?? 0
  const { quietWindow, maxWindow, minPushInterval, reconcileInterval } = windows
  const instants = [evaluatedAt + reconcileInterval]
  // the last evaluation has seen what happens before it
  if (until !== undefined && until > evaluatedAt) instants.push(until)
  if (requestedAt !== undefined) instants.push(Math.max(requestedAt, evaluatedAt + REQUEST_INTERVAL))
  if (pending !== undefined) instants.push(Math.min(pending.newest + quietWindow, pending.first + maxWindow))
  const earliest = pushedAt === undefined ? 0 : pushedAt + minPushInterval
  return Math.max(Math.min(...instants), earliest, notBefore ?? 0)
}

/** Records changes, and wakes the loop that waits for them. */
export class ChangeQueue {
  readonly #clock: Clock
  #pending: PendingChanges | undefined
  #requestedAt: number | undefined
  #wake: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get pending(): PendingChanges | undefined {
    return this.#pending
  }

  get requestedAt(): number | undefined {
    return this.#requestedAt
  }

  /** Asks for an evaluation without a change of the cluster, and without its windows. */
  request(): void {
    this.#requestedAt ??= this.#clock.now()
    this.#wake()
  }

  add(): void {
    const now = this.#clock.now()
    this.#pending = { first: this.#pending?.first ?? now, newest: now }
    this.#wake()
  }

  /** Removes and returns the pending changes, which are evaluated now, and any request. */
  take(): PendingChanges | undefined {
    const taken = this.#pending
    this.#pending = undefined
    this.#requestedAt = undefined
    return taken
  }

  /** Makes changes pending again whose evaluation failed. */
  putBack(taken: PendingChanges | undefined): void {
    if (taken === undefined) return
    this.#pending = { first: taken.first, newest: this.#pending?.newest ?? taken.newest }
  }

  /** Resolves at the next change, after this many milliseconds, or when the signal is aborted. */
  async next(milliseconds: number, signal: AbortSignal): Promise<void> {
    const awake = new AbortController()
    this.#wake = () => awake.abort()
    await this.#clock.sleep(milliseconds, AbortSignal.any([signal, awake.signal]))
    this.#wake = () => {}
  }
}

/** The result of one round: one evaluation, and the push that follows from it. */
export interface RoundResult {
  /** `done` and `pushed`: Git has what it should; otherwise why it has not. */
  readonly outcome: 'done' | 'pushed' | 'stopped' | 'refused' | 'unreachable'
  /** When the same input next gives another result, in milliseconds since 1970. */
  readonly until?: number
  /** The head of the branch, where this round pushed it. */
  readonly head?: string
  /** Milliseconds that the Git server asks to wait. */
  readonly retryAfter?: number
  /** Why Git is not as it should be, though something may have been pushed: the error of a render, a guard. */
  readonly failure?: string
}

export interface LoopOptions {
  readonly windows: Windows
  readonly context: Pick<EngineContext, 'clock' | 'meter'>
  readonly changes: ChangeQueue
  readonly round: (signal: AbortSignal) => Promise<RoundResult>
  /** Called whenever the loop turns, so that a probe can tell that it does. */
  readonly tick: () => void
  readonly signal: AbortSignal
}

/** The longest wait, in milliseconds, after which the loop turns. */
export const MAX_WAIT = 10_000

/** Runs a round whenever one is due, until the signal is aborted. A failed round is repeated with backoff. */
export async function runLoop({ windows, context, changes, round, tick, signal }: LoopOptions): Promise<void> {
  const { clock, meter } = context
  const backoff = new Backoff()
  let state: LoopState = {}
  let unresolved: PendingChanges | undefined
  while (!signal.aborted) {
    tick()
    // after the clock was set back, times of the future would delay everything
    if (clock.now() < (state.evaluatedAt ?? 0)) state = {}
    meter.waitingSince(unresolved?.first ?? changes.pending?.first)
    const { pending, requestedAt } = changes
    const wait = dueAt({ ...state, pending, requestedAt }, windows) - clock.now()
    if (wait > 0) {
      await changes.next(Math.min(wait, MAX_WAIT), signal)
      continue
    }
    const taken = changes.take()
    const startedAt = clock.now()
    const { outcome, until, retryAfter } = await round(signal)
    if (signal.aborted) break
    const isDone = outcome === 'done' || outcome === 'pushed'
    // after a guard no backoff is needed: the next round waits for a change of the cluster or of Git
    const failure = isDone || outcome === 'stopped' ? undefined : outcome
    unresolved = isDone ? undefined : { first: unresolved?.first ?? taken?.first ?? startedAt, newest: startedAt }
    state = {
      evaluatedAt: startedAt,
      pushedAt: outcome === 'pushed' ? clock.now() : state.pushedAt,
      until,
      notBefore: failure === undefined ? undefined : clock.now() + backoff.next(BACKOFF[failure], retryAfter),
    }
    // so that the round is repeated as soon as the backoff ends
    if (failure !== undefined) changes.putBack(unresolved)
    else backoff.reset()
  }
  meter.waitingSince(undefined)
}
