import type { Clock } from '../clock.ts'

/** Sees that something goes on: ends with a call where nothing was heard for so long. */
export class Watchdog {
  #heard: number
  readonly #ended = new AbortController()
  readonly #clock: Clock

  constructor(clock: Clock, limit: number, onSilence: () => void) {
    this.#clock = clock
    this.#heard = clock.now()
    void this.#run(limit, onSilence)
  }

  /** Something was heard. */
  hear(): void {
    this.#heard = this.#clock.now()
  }

  /** Nothing more will be heard, and that is right. */
  end(): void {
    this.#ended.abort()
  }

  async #run(limit: number, onSilence: () => void): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      const left = this.#heard + limit - this.#clock.now()
      if (left <= 0) return onSilence()
      await this.#clock.sleep(left, signal)
    }
  }
}
