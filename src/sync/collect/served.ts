import { listOf, memberOf } from '../../krm/map.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Asking, Watched } from './source.ts'

/** Milliseconds between two looks, once it is known whether the API is served, and before. */
const EVERY = 60_000
const SOON = 10_000
/** An API server that starts may say for a moment that it has no such API. */
const MISSES = 3

export interface ServedOptions<T> {
  readonly connection: Asking
  /** Group and version, such as `core.korder.dev/v1alpha1`. */
  readonly api: string
  readonly resource: string
  /** Makes a watch of it, each time that it begins to be served. */
  readonly watch: () => Watched<T>
  /** Called when it is served no longer. */
  readonly onGone: () => void
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
}

/** Watches a resource as long as the cluster serves it; the definition of it may come and go. */
export class Served<T> {
  readonly #options: ServedOptions<T>
  #watched: Watched<T> | undefined
  #stop: AbortController | undefined
  #isMissing = false
  #misses = 0

  constructor(options: ServedOptions<T>) {
    this.#options = options
  }

  /** Whether a whole list was read, or there is nothing to be read. */
  get isSynced(): boolean {
    return this.#isMissing || this.#watched?.isSynced === true
  }

  /** What is kept; undefined where that is not known. */
  get items(): ReadonlyMap<string, T> | undefined {
    return this.#watched?.isSynced ? this.#watched.items() : undefined
  }

  async start(signal: AbortSignal): Promise<void> {
    const running: Promise<void>[] = []
    while (!signal.aborted) {
      const isServed = await this.#isServed(signal)
      if (signal.aborted) break
      if (isServed) running.push(...this.#begin(signal))
      else if (isServed === false && ++this.#misses >= MISSES) this.#end()
      const isSettled = this.#isMissing || (this.#watched !== undefined && this.#misses === 0)
      await this.#options.clock.sleep(isSettled ? EVERY : SOON, signal)
    }
    await Promise.all(running)
  }

  #begin(signal: AbortSignal): Promise<void>[] {
    const { resource, meter, log } = this.#options
    this.#misses = 0
    if (this.#watched !== undefined) return []
    if (this.#isMissing) log.info('the cluster serves it now', { resource })
    this.#isMissing = false
    meter.component(`api-${resource}`, true)
    this.#stop = new AbortController()
    this.#watched = this.#options.watch()
    return [this.#watched.start(AbortSignal.any([signal, this.#stop.signal]))]
  }

  #end(): void {
    const { api, resource, meter, log, onGone } = this.#options
    if (this.#isMissing) return
    this.#isMissing = true
    meter.component(`api-${resource}`, false)
    log.warn('the cluster does not serve what is to be collected', { resource, api })
    this.#stop?.abort()
    this.#watched = undefined
    onGone()
  }

  /** Undefined where nobody can tell. */
  async #isServed(signal: AbortSignal): Promise<boolean | undefined> {
    const { connection, api, resource } = this.#options
    try {
      const answer = await connection.json({ path: `/apis/${api}`, signal })
      return listOf(memberOf(answer, 'resources')).some((one) => memberOf(one, 'name') === resource)
    } catch (error) {
      return memberOf(error, 'status') === 404 ? false : undefined
    }
  }
}
