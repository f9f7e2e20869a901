import { Backoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import { Cache, missedBy, openFor } from './cache.ts'
import type { Connection } from './connection.ts'
import { endOf, type WatchEnd } from './errors.ts'
import { type KubeObject, list } from './list.ts'
import { watch } from './watch.ts'

export interface ReflectorOptions<T> {
  readonly connection: Connection
  /** The path of the list, such as `/api/v1/nodes`. */
  readonly path: string
  /** How the log and the metrics name it. */
  readonly resource: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** What is kept of an object, as JSON would keep it; undefined leaves it out. Where it throws, the object is left out and that is said once. */
  readonly trim: (object: KubeObject) => T | undefined
  /** The key of an object, its namespace and name unless told. */
  readonly keyOf?: (object: KubeObject) => string
  readonly pageSize?: number
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
  /** Called when what is kept has changed, and when it is complete for the first time. */
  readonly onChange: () => void
  /** Milliseconds from one comparison with a full list to the next, ten minutes unless told; 0 compares never. */
  readonly relistInterval?: number
  /** The shortest time, in seconds, after which the server ends a watch; the longest is twice that. Five minutes unless told. */
  readonly watchTimeout?: number
  /** Milliseconds without a byte after which a watch counts as dead: 90 s unless told, since bookmarks come about every minute. */
  readonly silence?: number
  readonly random?: () => number
}

/** A watch that stood this long was a good one: the next failure is a first one. Some proxies end what is idle for half a minute. */
const STABLE = 20_000
/** After so many failures that are the server's answer, the version that the watch goes on from may be what it cannot answer. */
const MOST_FROM_ONE_VERSION = 3
/** Names that are remembered as said. */
const MOST_UNREADABLE = 1000
/** How long the watch has for what a list has shown already. */
const GRACE = 10_000

/**
 * Keeps in memory what the API server has of one resource: a list, then a watch from there, for ever. It never stops on its own, whatever
 * the server or the network does; each end of a watch is counted with its reason and followed by the next try. What the watch misses all
 * the same is found by comparing with a full list now and then, and healed by beginning anew.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>
  readonly #cache = new Cache<T>()
  readonly #backoff: Backoff
  readonly #random: () => number
  /** What could not be trimmed, with why, so that it is said once. */
  readonly #unreadable = new Map<string, string>()
  #isSynced = false
  #lastContact: number | undefined
  /** Where the watch goes on from; undefined where a list comes first. */
  #version: string | undefined
  #failuresHere = 0
  #openSince: number | undefined
  #said = ''
  /** Ends the present watch from inside. */
  #anew = new AbortController()

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#random = options.random ?? Math.random
    this.#backoff = new Backoff(this.#random)
  }

  /** Whether a whole list was read since the start. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** When the API server was last heard, in milliseconds since 1970. */
  get lastContact(): number | undefined {
    return this.#lastContact
  }

  /** What is kept, by key; the same map may change later. */
  items(): ReadonlyMap<string, T> {
    return this.#cache.items
  }

  /** Lists and watches until the signal is aborted; never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.#anew.abort()
    signal.addEventListener('abort', onAbort, { once: true })
    await Promise.all([this.#follow(signal), this.#compareNowAndThen(signal)])
    signal.removeEventListener('abort', onAbort)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, meter, resource } = this.#options
    while (!signal.aborted) {
      const isFilled = this.#version !== undefined
      const end = isFilled ? await this.#watch() : await this.#fill(signal)
      if (signal.aborted) break
      if (end === undefined) continue
      if (isFilled) meter.watchRestarted(resource, end.reason)
      const wait = this.#backoff.next(end.retryAfter)
      this.#say(end, wait)
      await clock.sleep(wait, signal)
    }
    this.#open(false)
  }

  /** Reads the whole list; gives why it could not be read. */
  async #fill(signal: AbortSignal): Promise<WatchEnd | undefined> {
    try {
      const entries = new Map<string, T>()
      const version = await this.#list(signal, (key, value) => entries.set(key, this.#cache.same(key, value)))
      const isChanged = this.#cache.replace(entries) || !this.#isSynced
      this.#version = version
      this.#failuresHere = 0
      this.#isSynced = true
      if (isChanged) this.#changed()
      return undefined
    } catch (error) {
      return endOf(error)
    }
  }

  /** One watch; decides whether a list comes after it. */
  async #watch(): Promise<WatchEnd> {
    const { connection, path, query, silence = 90_000, watchTimeout = 300, clock } = this.#options
    this.#anew = new AbortController()
    const end = await watch(connection, path, {
      resourceVersion: this.#version ?? '',
      query,
      seconds: Math.round(watchTimeout * (1 + this.#random())),
      silence,
      signal: this.#anew.signal,
      onOpen: () => this.#open(true),
      onEvent: (type, object, version) => {
        this.#lastContact = clock.now()
        this.#version = version
        this.#failuresHere = 0
        if (type !== 'BOOKMARK') this.#take(object, type === 'DELETED')
      },
    })
    const stood = this.#openSince === undefined ? 0 : clock.now() - this.#openSince
    if (stood >= STABLE) this.#backoff.reset()
    this.#open(false)
    if (this.#anew.signal.aborted) return this.#forget({ reason: 'missed' })
    if (end.reason === 'error' || end.reason === 'unreadable') this.#failuresHere++
    return end.reason === 'expired' || this.#failuresHere >= MOST_FROM_ONE_VERSION ? this.#forget(end) : end
  }

  #forget(end: WatchEnd): WatchEnd {
    this.#version = undefined
    return end
  }

  async #list(signal: AbortSignal, see: (key: string, value: T) => void): Promise<string> {
    const { connection, path, query, pageSize, clock } = this.#options
    const { resourceVersion } = await list(connection, path, {
      query,
      pageSize,
      signal,
      trim: (object) => {
        const entry = this.#entry(object)
        if (entry !== undefined) see(...entry)
        return undefined
      },
      onPage: () => {
        this.#lastContact = clock.now()
      },
    })
    return resourceVersion
  }

  #take(object: KubeObject, isDeleted: boolean): void {
    const key = this.#keyOf(object)
    if (this.#cache.set(key, isDeleted ? undefined : this.#entry(object)?.[1])) this.#changed()
    if (isDeleted) this.#unreadable.delete(key)
  }

  #entry(object: KubeObject): readonly [string, T] | undefined {
    const { trim, log, resource } = this.#options
    const key = this.#keyOf(object)
    try {
      const value = trim(object)
      this.#unreadable.delete(key)
      return value === undefined ? undefined : [key, value]
    } catch (error) {
      const why = String((error as Error)?.message ?? error)
      if (this.#unreadable.size >= MOST_UNREADABLE) this.#unreadable.clear()
      if (this.#unreadable.get(key) !== why)
        log.warn('left out what cannot be read', { resource, name: key, error: why })
      this.#unreadable.set(key, why)
      return undefined
    }
  }

  #keyOf(object: KubeObject): string {
    const { namespace, name } = object.metadata
    return this.#options.keyOf?.(object) ?? (namespace === undefined ? name : `${namespace}/${name}`)
  }

  async #compareNowAndThen(signal: AbortSignal): Promise<void> {
    const { clock, relistInterval = 600_000 } = this.#options
    while (relistInterval > 0 && !signal.aborted) {
      await clock.sleep(relistInterval * (0.9 + 0.2 * this.#random()), signal)
      if (this.#openSince !== undefined && !signal.aborted) await this.#compare(signal)
    }
  }

  /** Compares with a full list; one that cannot be read says nothing, since the watch says more. */
  async #compare(signal: AbortSignal): Promise<void> {
    const { clock, meter, log, resource } = this.#options
    try {
      const missed = await missedBy<T>(
        this.#cache,
        async (see) => void (await this.#list(signal, see)),
        async () => {
          await clock.sleep(GRACE, signal)
          return openFor(GRACE, () => this.#openSince, clock, signal)
        },
      )
      if (missed === undefined || missed === 0) return
      meter.missedByWatch(resource, missed)
      log.warn('the watch has missed what a list has, and begins anew', { resource, missed })
      this.#anew.abort()
    } catch (error) {
      log.info('the list to compare with could not be read', { resource, error: endOf(error).message })
    }
  }

  #open(isOpen: boolean): void {
    const { clock, meter, log, resource } = this.#options
    this.#openSince = isOpen ? clock.now() : undefined
    meter.component(`watch-${resource}`, isOpen)
    if (!isOpen) return
    this.#lastContact = clock.now()
    if (this.#said !== '') log.info('watches again', { resource })
    this.#said = ''
  }

  /** Says why a watch ended, unless that is what was said last, or as it should be. */
  #say({ reason, message }: WatchEnd, wait: number): void {
    const { log, resource } = this.#options
    const text = `${reason} ${message}`
    if (reason === 'ended' || this.#said === text) return
    this.#said = text
    log.warn('the watch ended and begins anew', { resource, reason, error: message, milliseconds: Math.round(wait) })
  }

  #changed(): void {
    const { onChange, log, resource } = this.#options
    try {
      onChange()
    } catch (error) {
      log.error('what follows a change failed', { resource, error: String(error) })
    }
  }
}
