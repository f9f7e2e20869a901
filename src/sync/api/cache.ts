import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../clock.ts'

/** What is kept of the objects of one resource, by key. A value that equals the one before it is no change, and does not replace it. */
export class Cache<T> {
  #items = new Map<string, T>()
  /** The keys that were written since somebody began to listen. */
  readonly #listeners = new Set<Set<string>>()

  get items(): ReadonlyMap<string, T> {
    return this.#items
  }

  /** Whether the value is the one that is kept. */
  has(key: string, value: T | undefined): boolean {
    return isDeepStrictEqual(this.#items.get(key), value)
  }

  /** Keeps a value, or forgets the key where there is none; true where that is a change. */
  set(key: string, value: T | undefined): boolean {
    for (const keys of this.#listeners) keys.add(key)
    if (this.has(key, value)) return false
    if (value === undefined) this.#items.delete(key)
    else this.#items.set(key, value)
    return true
  }

  /** The value that is kept where it equals this one, so that a whole list does not hold everything twice; else this one. */
  same(key: string, value: T): T {
    const kept = this.#items.get(key)
    return kept !== undefined && isDeepStrictEqual(kept, value) ? kept : value
  }

  /** Keeps exactly these, each given by `same`; true where that is a change. */
  replace(items: Iterable<readonly [string, T]>): boolean {
    const before = this.#items
    this.#items = new Map(items)
    return before.size !== this.#items.size || [...this.#items].some(([key, value]) => before.get(key) !== value)
  }

  /** Collects the keys of which something is heard from now on, until `stop` is called. */
  listen(): { readonly keys: ReadonlySet<string>; readonly stop: () => void } {
    const keys = new Set<string>()
    this.#listeners.add(keys)
    return { keys, stop: () => this.#listeners.delete(keys) }
  }
}

/**
 * How many objects a watch has missed: those of a fresh list that the cache has not, or has otherwise, or has too many, and of which the
 * watch has said nothing since the list was asked for, nor within a while after it. `each` lists, and gives the key and the value of each
 * object; `settle` ends when the watch has had the time to say it, with false where it could not.
 */
export async function missedBy<T>(
  cache: Cache<T>,
  each: (see: (key: string, value: T) => void) => Promise<void>,
  settle: () => Promise<boolean>,
): Promise<number | undefined> {
  const heard = cache.listen()
  try {
    const listed = new Set<string>()
    const suspects = new Set<string>()
    await each((key, value) => {
      listed.add(key)
      if (!cache.has(key, value)) suspects.add(key)
    })
    for (const key of cache.items.keys()) if (!listed.has(key)) suspects.add(key)
    if (suspects.size === 0) return 0
    if (!(await settle())) return undefined
    return [...suspects].filter((key) => !heard.keys.has(key)).length
  } finally {
    heard.stop()
  }
}

/** Ends when the watch was open for so long without a break; false where the signal ends the waiting. */
export async function openFor(
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
