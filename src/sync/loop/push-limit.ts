import type { Clock } from '../clock.ts'

/** What GitHub asks of whoever pushes to it; nothing that happens makes more. */
const PUSHES = 6
const PERIOD = 60_000

/** Lets no more than six pushes a minute through, however many are tried. */
export class PushLimit {
  readonly #clock: Clock
  #times: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Ends when one more push may begin, and counts it; false where the signal was aborted before. */
  async turn(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false
      const now = this.#clock.now()
      this.#times = this.#times.filter((time) => time > now - PERIOD && time <= now)
      const oldest = this.#times[0]
      if (oldest === undefined || this.#times.length < PUSHES) {
        this.#times.push(now)
        return true
      }
      await this.#clock.sleep(oldest + PERIOD - now, signal)
    }
  }
}
