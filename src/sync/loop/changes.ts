import type { Clock } from '../clock.ts'

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
