import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../cluster/clock.ts'

/** The values of one resource, by key. A value that equals the present one is no change and does not replace it. */
export class Cache<T> {
  #items = new Map<string, T>()
  /** For each recording, the keys that were written since it began. */
  readonly #recordings = new Set<Set<string>>()

  get items(): ReadonlyMap<string, T> {
    return this.#items
  }

  /** Whether the value equals the present one. */
  has(key: string, value: T | undefined): boolean {
    return isDeepStrictEqual(this.#items.get(key), value)
  }

  /** Stores a value, or deletes the key where there is none; returns whether that is a change. */
  set(key: string, value: T | undefined): boolean {
    for (const keys of this.#recordings) keys.add(key)
    if (this.has(key, value)) return false
    if (value === undefined) this.#items.delete(key)
    else this.#items.set(key, value)
    return true
  }

  /** The present value if it equals this one, else this one: a list then holds no second copy of everything. */
  canonical(key: string, value: T): T {
    const present = this.#items.get(key)
    return present !== undefined && isDeepStrictEqual(present, value) ? present : value
  }

  /** Replaces all values by these, which `canonical` gave; returns whether that is a change. */
  replace(items: Iterable<readonly [string, T]>): boolean {
    const before = this.#items
    this.#items = new Map(items)
    return before.size !== this.#items.size || [...this.#items].some(([key, value]) => before.get(key) !== value)
  }

  /** Records the keys that are written from now on, until `stop` is called. */
  recordKeys(): { readonly keys: ReadonlySet<string>; readonly stop: () => void } {
    const keys = new Set<string>()
    this.#recordings.add(keys)
    return { keys, stop: () => this.#recordings.delete(keys) }
  }
}

/**
 * Counts the objects that a watch missed: those where a new list differs from the cache, and for which the watch sends
 * no event between the request of the list and the end of `settle`. `list` passes each object's key and value on;
 * `settle` resolves when the watch had time to catch up, with false where it could not: the result is then undefined.
 */
export async function countMissed<T>(
  cache: Cache<T>,
  list: (visit: (key: string, value: T) => void) => Promise<void>,
  settle: () => Promise<boolean>,
): Promise<number | undefined> {
  const recording = cache.recordKeys()
  try {
    const listed = new Set<string>()
    const different = new Set<string>()
    await list((key, value) => {
      listed.add(key)
      if (!cache.has(key, value)) different.add(key)
    })
    for (const key of cache.items.keys()) if (!listed.has(key)) different.add(key)
    if (different.size === 0) return 0
    if (!(await settle())) return undefined
    return [...different].filter((key) => !recording.keys.has(key)).length
  } finally {
    recording.stop()
  }
}

/**
 * Resolves with true once the watch is open for this many milliseconds without a break, with false when the signal is
 * aborted.
 */
export async function untilOpenFor(
  milliseconds: number,
  openSince: () => number | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const since = openSince()
    const left = since === undefined ? milliseconds : since + milliseconds - clock.now()
    if (left <= 0) return true
    await clock.sleep(left, signal)
  }
  return false
}
