import { StringDecoder } from 'node:string_decoder'
import { bodyText, type Connection } from '../../cluster/connection.ts'
import { apiErrorOf, MalformedResponseError, type WatchEnd, watchEndOf } from '../../cluster/errors.ts'
import { type KubeObject, list } from '../../cluster/list.ts'
import { WatchBackoff } from '../backoff.ts'
import type { EngineContext } from '../context.ts'
import { Cache, countMissed, untilOpenFor } from './cache.ts'

export interface ReflectorOptions<T> {
  readonly connection: Connection
  /** The path of the list, such as `/api/v1/nodes`. */
  readonly path: string
  /** The name of the resource in logs and metrics. */
  readonly resource: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /**
   * The part of an object to cache, as plain JSON values; undefined leaves it out. Where it throws, the object is left
   * out and logged once.
   */
  readonly trim: (object: KubeObject) => T | undefined
  /** The key of an object. Default: namespace and name. */
  readonly keyOf?: (object: KubeObject) => string
  readonly pageSize?: number
  readonly context: Pick<EngineContext, 'clock' | 'log' | 'meter'>
  /** Called when the cache has changed, and when it is complete for the first time. */
  readonly onChange: () => void
  /** Milliseconds between two comparisons with a full list; 0 for none. Default: ten minutes. */
  readonly relistInterval?: number
  /** Seconds after which the server ends a watch, drawn between this and twice this. Default: 300. */
  readonly watchTimeout?: number
  /**
   * Milliseconds without a byte after which a watch counts as dead. Default: 90,000, since bookmarks come about every
   * minute.
   */
  readonly idleTimeout?: number
  /** Gives numbers from 0 up to 1. */
  readonly random?: () => number
}

/** A watch that was open this long resets the backoff. Some proxies end idle connections after 30 seconds. */
const STABLE_AFTER = 20_000
/**
 * After this many failed responses from one resourceVersion, list again: the server may be unable to resume from it.
 */
const MAX_FAILURES_PER_VERSION = 3
/** Objects that are remembered as logged. */
const MAX_MALFORMED = 1000
/** Deletions that are remembered; more are confirmed by lists. */
const MAX_DELETED = 20_000
/** Milliseconds that the watch has to send what a list shows already. */
const GRACE_PERIOD = 10_000

/**
 * Caches one resource of the API server: lists it, watches from there, and restarts the watch whenever it ends. It
 * never gives up; each end is counted with its reason. What a watch misses nevertheless is found by comparing with a
 * full list now and then, and mended by listing again.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>
  readonly #cache = new Cache<T>()
  /** Keys that the watch reported as deleted, and that no list has had since. */
  readonly #deleted = new Set<string>()
  readonly #backoff: WatchBackoff
  readonly #random: () => number
  /** The error of each object that could not be trimmed, so that it is logged once. */
  readonly #malformed = new Map<string, string>()
  #isSynced = false
  #lastContact: number | undefined
  /** The resourceVersion to resume from; undefined where a list has to come first. */
  #version: string | undefined
  #failuresOfVersion = 0
  #openSince: number | undefined
  #loggedEnd = ''
  /** Ends the present watch, so that a list follows. */
  #restart = new AbortController()

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#random = options.random ?? Math.random
    this.#backoff = new WatchBackoff(this.#random)
  }

  /** Whether a whole list was read since the start. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** When the API server was last heard, in milliseconds since 1970. */
  get lastContact(): number | undefined {
    return this.#lastContact
  }

  /** The cached values by key; the same map may change later. */
  items(): ReadonlyMap<string, T> {
    return this.#cache.items
  }

  /** Whether the watch reported the object of this key as deleted, and nothing has shown it since. */
  isDeleted(key: string): boolean {
    return this.#deleted.has(key)
  }

  /** Lists and watches until the signal is aborted; never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.#restart.abort()
    signal.addEventListener('abort', onAbort, { once: true })
    await Promise.all([this.#listAndWatch(signal), this.#comparePeriodically(signal)])
    signal.removeEventListener('abort', onAbort)
  }

  async #listAndWatch(signal: AbortSignal): Promise<void> {
    const { context, resource } = this.#options
    while (!signal.aborted) {
      const isListed = this.#version !== undefined
      const end = isListed ? await this.#watch() : await this.#fill(signal)
      if (signal.aborted) break
      if (end === undefined) continue
      context.meter.watchRestarted(resource, end.reason)
      const wait = this.#backoff.after(end)
      this.#logEnd(end, wait)
      await context.clock.sleep(wait, signal)
    }
    this.#setOpen(false)
  }

  /** Fills the cache from a list; returns why the list failed. */
  async #fill(signal: AbortSignal): Promise<WatchEnd | undefined> {
    try {
      const entries = new Map<string, T>()
      const version = await this.#list(signal, (key, value) => entries.set(key, this.#cache.canonical(key, value)))
      const isChanged = this.#cache.replace(entries) || !this.#isSynced
      for (const key of entries.keys()) this.#deleted.delete(key)
      this.#version = version
      this.#failuresOfVersion = 0
      this.#isSynced = true
      if (isChanged) this.#notify()
      return undefined
    } catch (error) {
      return watchEndOf(error)
    }
  }

  /** Watches once, and decides whether a list comes next. */
  async #watch(): Promise<WatchEnd> {
    const { connection, path, query, idleTimeout = 90_000, watchTimeout = 300, context } = this.#options
    const { clock } = context
    this.#restart = new AbortController()
    const end = await watch(connection, path, {
      resourceVersion: this.#version ?? '',
      query,
      timeoutSeconds: Math.round(watchTimeout * (1 + this.#random())),
      idleTimeout,
      signal: this.#restart.signal,
      onOpen: () => this.#setOpen(true),
      onEvent: ({ type, object, version }) => {
        this.#lastContact = clock.now()
        this.#version = version
        this.#failuresOfVersion = 0
        if (type !== 'BOOKMARK') this.#apply(object, type === 'DELETED')
      },
    })
    const openFor = this.#openSince === undefined ? 0 : clock.now() - this.#openSince
    if (openFor >= STABLE_AFTER) this.#backoff.reset()
    this.#setOpen(false)
    if (this.#restart.signal.aborted) return this.#relistAfter({ reason: 'missed' })
    if (end.reason === 'error' || end.reason === 'malformed') this.#failuresOfVersion++
    const mustList = end.reason === 'expired' || this.#failuresOfVersion >= MAX_FAILURES_PER_VERSION
    return mustList ? this.#relistAfter(end) : end
  }

  #relistAfter(end: WatchEnd): WatchEnd {
    this.#version = undefined
    return end
  }

  async #list(signal: AbortSignal, visit: (key: string, value: T) => void): Promise<string> {
    const { connection, path, query, pageSize, context } = this.#options
    const { resourceVersion } = await list(connection, path, {
      query,
      pageSize,
      signal,
      trim: (object) => {
        const entry = this.#entryOf(object)
        if (entry !== undefined) visit(...entry)
        return undefined
      },
      onPage: () => {
        this.#lastContact = context.clock.now()
      },
    })
    return resourceVersion
  }

  #apply(object: KubeObject, isDeleted: boolean): void {
    const key = this.#keyOf(object)
    if (this.#cache.set(key, isDeleted ? undefined : this.#entryOf(object)?.[1])) this.#notify()
    if (isDeleted) this.#malformed.delete(key)
    if (!isDeleted) this.#deleted.delete(key)
    else if (this.#deleted.size < MAX_DELETED) this.#deleted.add(key)
  }

  #entryOf(object: KubeObject): readonly [string, T] | undefined {
    const { trim, context, resource } = this.#options
    const key = this.#keyOf(object)
    try {
      const value = trim(object)
      this.#malformed.delete(key)
      return value === undefined ? undefined : [key, value]
    } catch (error) {
      const why = String((error as Error)?.message ?? error)
      if (this.#malformed.size >= MAX_MALFORMED) this.#malformed.clear()
      if (this.#malformed.get(key) !== why)
        context.log.warn('an object cannot be read and is left out', { resource, name: key, error: why })
      this.#malformed.set(key, why)
      return undefined
    }
  }

  #keyOf(object: KubeObject): string {
    const { namespace, name } = object.metadata
    return this.#options.keyOf?.(object) ?? (namespace === undefined ? name : `${namespace}/${name}`)
  }

  async #comparePeriodically(signal: AbortSignal): Promise<void> {
    const { context, relistInterval = 600_000 } = this.#options
    while (relistInterval > 0 && !signal.aborted) {
      await context.clock.sleep(relistInterval * (0.9 + 0.2 * this.#random()), signal)
      if (this.#openSince !== undefined && !signal.aborted) await this.#compare(signal)
    }
  }

  /**
   * Compares the cache with a full list. Where the list fails nothing happens: the watch reports the API server's
   * failures.
   */
  async #compare(signal: AbortSignal): Promise<void> {
    const { context, resource } = this.#options
    const { clock, meter, log } = context
    try {
      const missed = await countMissed<T>(
        this.#cache,
        async (visit) => void (await this.#list(signal, visit)),
        async () => {
          await clock.sleep(GRACE_PERIOD, signal)
          return untilOpenFor(GRACE_PERIOD, () => this.#openSince, clock, signal)
        },
      )
      if (missed === undefined || missed === 0) return
      meter.missedByWatch(resource, missed)
      log.warn('the watch missed changes that a list shows: listing again', { resource, missed })
      this.#restart.abort()
    } catch (error) {
      log.info('cannot read the list to compare with', { resource, error: watchEndOf(error).message })
    }
  }

  #setOpen(isOpen: boolean): void {
    const { context, resource } = this.#options
    const { clock, meter, log } = context
    this.#openSince = isOpen ? clock.now() : undefined
    meter.component(`watch-${resource}`, isOpen)
    if (!isOpen) return
    this.#lastContact = clock.now()
    if (this.#loggedEnd !== '') log.info('the watch works again', { resource })
    this.#loggedEnd = ''
  }

  /** Logs why a watch ended, once for each reason; a watch that the server ended after its timeout is not logged. */
  #logEnd({ reason, message }: WatchEnd, wait: number): void {
    const { context, resource } = this.#options
    const text = `${reason} ${message}`
    if (reason === 'ended' || this.#loggedEnd === text) return
    this.#loggedEnd = text
    context.log.warn('the watch ended: restarting it', {
      resource,
      reason,
      error: message,
      milliseconds: Math.round(wait),
    })
  }

  #notify(): void {
    const { onChange, context, resource } = this.#options
    try {
      onChange()
    } catch (error) {
      context.log.error('handling a change failed', { resource, error: String(error) })
    }
  }
}

const EVENT_TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const

/** One event of a watch; the watch can be resumed after it from `version`. */
interface WatchEvent {
  readonly type: (typeof EVENT_TYPES)[number]
  readonly object: KubeObject
  readonly version: string
}

interface WatchOptions {
  readonly resourceVersion: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds: number
  /** Milliseconds without a byte after which the connection counts as dead; bookmarks come about every minute. */
  readonly idleTimeout: number
  readonly signal: AbortSignal
  readonly onOpen: () => void
  /** Called for every event, in order. */
  readonly onEvent: (event: WatchEvent) => void
}

/**
 * Watches a resource until the watch ends. Never rejects: the result says why it ended, also after an abort (`ended`).
 */
async function watch(connection: Connection, path: string, options: WatchOptions): Promise<WatchEnd> {
  const { query, resourceVersion, timeoutSeconds, idleTimeout, signal, onOpen, onEvent } = options
  try {
    const response = await connection.request({
      path,
      query: { ...query, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds },
      signal,
      timeout: idleTimeout,
    })
    const { status, headers } = response
    if (status !== 200) throw apiErrorOf(status, await bodyText(response), headers['retry-after'])
    onOpen()
    for await (const line of linesOf(response.body)) if (line !== '') onEvent(parseEvent(line))
    return { reason: 'ended' }
  } catch (error) {
    return signal.aborted ? { reason: 'ended' } : watchEndOf(error)
  }
}

/** Characters of a line beyond which it is no Kubernetes object: etcd stores at most 1.5 MB. */
const MAX_LINE = 1 << 24

/** The complete lines of a body as they arrive; rejects with `MalformedResponseError` for a line that does not end. */
export async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const part of body) {
    const pieces = decoder.write(part).split('\n')
    for (const piece of pieces.slice(0, -1)) {
      yield rest + piece
      rest = ''
    }
    rest += pieces.at(-1) ?? ''
    if (rest.length > MAX_LINE)
      throw new MalformedResponseError(`a line of the watch is longer than ${MAX_LINE} characters`)
  }
}

function parseEvent(line: string): WatchEvent {
  const event = parseJson(line)
  if (event?.type === 'ERROR') throw apiErrorOf(500, JSON.stringify(event.object ?? null))
  const type = EVENT_TYPES.find((known) => known === event?.type)
  const version = event?.object?.metadata?.resourceVersion
  if (type === undefined || event?.object === undefined || version === undefined)
    throw new MalformedResponseError(`a line of the watch is not a watch event: ${line.slice(0, 80)}`)
  return { type, object: event.object, version }
}

function parseJson(line: string): { type?: string; object?: KubeObject } | null {
  try {
    return JSON.parse(line) as { type?: string; object?: KubeObject } | null
  } catch {
    throw new MalformedResponseError(`a line of the watch is not JSON: ${line.slice(0, 80)}`)
  }
}
