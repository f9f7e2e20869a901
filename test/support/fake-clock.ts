import type { Clock } from '../../src/host/cluster/clock.ts'

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number
  #sleepers: Array<{ due: number; wake: () => void }> = []
  readonly #turns: number

  /** Those who wake up get these turns of the event loop, in which they send requests; what is in memory needs two. */
  constructor(start = '2026-11-20T12:00:00Z', turns = 20) {
    this.#now = Date.parse(start)
    this.#turns = turns
  }

  /** Sets it, back as well; who sleeps goes on for as long as was asked. */
  set(time: string): void {
    const moved = Date.parse(time) - this.#now
    this.#now += moved
    for (const sleeper of this.#sleepers) sleeper.due += moved
  }

  now(): number {
    return this.#now
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper)
        resolve()
      }
      const wake = () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const sleeper = { due: this.#now + Math.max(milliseconds, 0), wake }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Moves the time, and wakes whoever is due on the way, in order; what they begin runs before the next one. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    await settled(this.#turns)
    for (;;) {
      const next = this.#sleepers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0]
      if (next === undefined) break
      this.#sleepers = this.#sleepers.filter((one) => one !== next)
      this.#now = Math.max(this.#now, next.due)
      next.wake()
      await settled(this.#turns)
    }
    this.#now = end
  }
}

/** Lets everything run that waits for nothing but its turn. */
async function settled(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}
