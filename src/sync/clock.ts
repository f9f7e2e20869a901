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
