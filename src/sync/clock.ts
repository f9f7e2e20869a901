import { setTimeout as pause } from 'node:timers/promises'

/** The time, and waiting for it; whatever waits takes it from here, so that a test can turn hours into milliseconds. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Ends after so many milliseconds, or as soon as the signal is aborted; it never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The longest that a timer of Node takes. */
const LONGEST = 2 ** 31 - 1

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    try {
      await pause(Math.min(Math.max(milliseconds, 0), LONGEST), undefined, { signal })
    } catch (error) {
      if (signal?.aborted !== true) throw error
    }
  },
}

/** Sees that something goes on: ends with a call where nothing was heard for so long. */
export class Watchdog {
  #heard: { readonly at: number }
  readonly #ended = new AbortController()
  readonly #clock: Clock

  constructor(clock: Clock, limit: number, onSilence: () => void) {
    this.#clock = clock
    this.#heard = { at: clock.now() }
    void this.#run(limit, onSilence)
  }

  /** Something was heard. */
  hear(): void {
    this.#heard = { at: this.#clock.now() }
  }

  /** Nothing more will be heard, and that is right. */
  end(): void {
    this.#ended.abort()
  }

  async #run(limit: number, onSilence: () => void): Promise<void> {
    const { signal } = this.#ended
    let waitedFor: unknown
    while (!signal.aborted) {
      const heard = this.#heard
      const left = heard.at + limit - this.#clock.now()
      // who has waited once waits no second time for the same, though the machine's time was set back meanwhile
      if (left <= 0 || waitedFor === heard) return onSilence()
      await this.#clock.sleep(Math.min(left, limit), signal)
      waitedFor = heard
    }
  }
}
