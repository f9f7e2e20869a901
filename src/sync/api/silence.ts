import type { Clock } from '../clock.ts'

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
