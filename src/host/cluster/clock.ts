import { setTimeout as pause } from 'node:timers/promises'

/**
 * The current time, and waiting. Everything that waits takes it from a context, so that a test can run hours in
 * milliseconds.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after this many milliseconds, or as soon as the signal is aborted; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The longest delay that a Node.js timer takes. */
const MAX_DELAY = 2 ** 31 - 1

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    try {
      await pause(Math.min(Math.max(milliseconds, 0), MAX_DELAY), undefined, { signal })
    } catch (error) {
      if (signal?.aborted !== true) throw error
    }
  },
}

/** Calls `onTimeout` once when `reset` was not called for `limit` milliseconds. */
export class Watchdog {
  #lastReset: { readonly at: number }
  readonly #stopped = new AbortController()
  readonly #clock: Clock

  constructor(clock: Clock, limit: number, onTimeout: () => void) {
    this.#clock = clock
    this.#lastReset = { at: clock.now() }
    void this.#run(limit, onTimeout)
  }

  /** Starts the limit again. */
  reset(): void {
    this.#lastReset = { at: this.#clock.now() }
  }

  /** Ends the watchdog without a call. */
  stop(): void {
    this.#stopped.abort()
  }

  async #run(limit: number, onTimeout: () => void): Promise<void> {
    const { signal } = this.#stopped
    let waitedFor: unknown
    while (!signal.aborted) {
      const reset = this.#lastReset
      const left = reset.at + limit - this.#clock.now()
      // never wait twice for the same reset, even if the machine's clock was set back meanwhile
      if (left <= 0 || waitedFor === reset) return onTimeout()
      await this.#clock.sleep(Math.min(left, limit), signal)
      waitedFor = reset
    }
  }
}
