import type { Clock } from '../clock.ts'
import type { Cache } from './cache.ts'

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
