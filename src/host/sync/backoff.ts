/** How the waits of one kind of failure grow, in milliseconds. */
export interface BackoffPolicy {
  /** The upper bound of the first wait; each later one is `factor` times the one before, up to `cap`. */
  readonly initial: number
  readonly factor: number
  readonly cap: number
  /** The longest wait that a server may ask for with Retry-After: its clock or its answer may be wrong. */
  readonly maxRetryAfter: number
}

const HOUR = 3_600_000

/** The waits after each kind of failure. */
export const BACKOFF = {
  /** A list or a watch of the API server failed. */
  watch: { initial: 1_000, factor: 2, cap: 60_000, maxRetryAfter: 300_000 },
  /** The API server does not respond: asking it costs nothing, and nodes that join when it is back must not wait. */
  connection: { initial: 1_000, factor: 2, cap: 3_000, maxRetryAfter: 300_000 },
  /** Another writer pushed first. */
  raced: { initial: 1_500, factor: 1.5, cap: 30_000, maxRetryAfter: HOUR },
  /** The Git server cannot be reached now. */
  unreachable: { initial: 2_000, factor: 2, cap: 60_000, maxRetryAfter: HOUR },
  /** Somebody has to act first: a rule of the forge, a wrong password. */
  refused: { initial: 60_000, factor: 2, cap: 600_000, maxRetryAfter: HOUR },
} as const satisfies Record<string, BackoffPolicy>

/**
 * Exponential backoff with jitter: each wait is drawn from the upper half of its bound, so that writers that failed at
 * the same moment do not return at the same moment, and no failure is retried in a tight loop.
 */
export class Backoff {
  readonly #random: () => number
  #failures = 0

  /** `random` gives numbers from 0 up to 1. */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Milliseconds to wait after one more failure: never less than the server asks for, within `maxRetryAfter`. */
  next({ initial, factor, cap, maxRetryAfter }: BackoffPolicy, retryAfter = 0): number {
    const bound = Math.min(cap, initial * factor ** Math.min(this.#failures++, 30))
    return Math.max(Math.round((bound / 2) * (1 + this.#random())), Math.min(retryAfter, maxRetryAfter))
  }

  /** The next failure counts as the first. */
  reset(): void {
    this.#failures = 0
  }
}

/**
 * The waits of a list or a watch. Failures of another kind start anew, since the server has changed; an expired version
 * is listed anew at once, as client-go does, unless that was just tried.
 */
export class WatchBackoff {
  readonly #backoff: Backoff
  #reason: string | undefined

  /** `random` gives numbers from 0 up to 1. */
  constructor(random: () => number) {
    this.#backoff = new Backoff(random)
  }

  /** Milliseconds to wait after one more end, for this reason. */
  after({ reason, retryAfter }: { readonly reason: string; readonly retryAfter?: number }): number {
    const isNew = reason !== this.#reason
    this.#reason = reason
    if (isNew) this.#backoff.reset()
    if (isNew && reason === 'expired' && retryAfter === undefined) return 0
    return this.#backoff.next(reason === 'connection' ? BACKOFF.connection : BACKOFF.watch, retryAfter)
  }

  /** The next end counts as the first. */
  reset(): void {
    this.#reason = undefined
    this.#backoff.reset()
  }
}
