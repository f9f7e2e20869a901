import type { Clock } from '../../cluster/clock.ts'

/** Deliveries that an address may send at once, and how many more in each second. */
const BURST = 30
const PER_SECOND = 2
/** Addresses that are remembered; the one that was seen longest ago is forgotten first. */
const MAX_ADDRESSES = 256

/** Limits the deliveries of each address, so that a flood uses up its own share alone. */
export class RateLimit {
  readonly #clock: Clock
  readonly #buckets = new Map<string, { readonly left: number; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether one more is allowed; counts it. */
  take(address: string): boolean {
    const now = this.#clock.now()
    const { left, at } = this.#buckets.get(address) ?? { left: BURST, at: now }
    // after the clock was set back nothing is added
    const refilled = Math.min(BURST, left + (Math.max(0, now - at) * PER_SECOND) / 1000)
    const isAllowed = refilled >= 1
    this.#buckets.delete(address)
    this.#buckets.set(address, { left: isAllowed ? refilled - 1 : refilled, at: now })
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > MAX_ADDRESSES && oldest !== undefined) this.#buckets.delete(oldest)
    return isAllowed
  }
}
