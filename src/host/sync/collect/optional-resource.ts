import type { SnapshotParts } from '../../../facts/inventory/index.ts'
import { listOf, memberOf } from '../../../krm/map.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { EngineContext } from '../context.ts'
import type { Collector, Informer, JsonClient, MakeInformer, PartName } from './collector.ts'

/** Milliseconds between two discovery requests: once it is known whether the API is served, and before. */
const DISCOVERY_INTERVAL = 60_000
const FIRST_DISCOVERY_INTERVAL = 10_000
/** A starting API server may not list every API: after this many responses without it the API counts as not served. */
const MAX_MISSES = 3

export interface CollectorOptions {
  readonly connection: JsonClient
  readonly makeInformer: MakeInformer
  readonly onChange: () => void
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
}

/** Makes the collector of a custom resource; a change starts an evaluation. */
export function resourceCollector<T>(
  { connection, context, makeInformer, onChange }: CollectorOptions,
  name: PartName,
  api: string,
  resource: string,
  trim: (object: KubeObject) => T,
  partOf: (entries: T[]) => SnapshotParts,
): Collector {
  const optional = optionalResource({ connection, context, makeInformer, onChange }, api, resource, trim)
  return {
    name,
    start: (signal) => optional.start(signal),
    get isSynced() {
      return optional.isSynced
    },
    part: () => (optional.items === undefined ? {} : partOf(sortedByKey(optional.items))),
  }
}

/** Makes the cache of a custom resource, which begins when the cluster serves it. */
export function optionalResource<T>(
  { connection, context, makeInformer, onChange }: CollectorOptions,
  api: string,
  resource: string,
  trim: (object: KubeObject) => T,
): OptionalResource<T> {
  const informer = () => makeInformer<T>({ path: `/apis/${api}/${resource}`, resource, trim, onChange })
  return new OptionalResource<T>({ connection, api, resource, makeInformer: informer, onGone: onChange, context })
}

/** Sorted by the keys of the cache: namespace and name. */
export function sortedByKey<T>(items: ReadonlyMap<string, T>): T[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
}

interface OptionalResourceOptions<T> {
  readonly connection: JsonClient
  /** Group and version, such as `core.korder.dev/v1alpha1`. */
  readonly api: string
  readonly resource: string
  /** Called each time that the resource begins to be served. */
  readonly makeInformer: () => Informer<T>
  /** Called when the resource is no longer served. */
  readonly onGone: () => void
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
}

/** Caches a custom resource while the cluster serves it; its CustomResourceDefinition may be added and deleted. */
export class OptionalResource<T> {
  readonly #options: OptionalResourceOptions<T>
  #informer: Informer<T> | undefined
  #stop: AbortController | undefined
  #isMissing = false
  #misses = 0

  constructor(options: OptionalResourceOptions<T>) {
    this.#options = options
  }

  /** Whether a whole list was read, or the resource is not served. */
  get isSynced(): boolean {
    return this.#isMissing || this.#informer?.isSynced === true
  }

  /** The cached values; undefined where they are not known. */
  get items(): ReadonlyMap<string, T> | undefined {
    return this.#informer?.isSynced ? this.#informer.items() : undefined
  }

  async start(signal: AbortSignal): Promise<void> {
    const running: Promise<void>[] = []
    while (!signal.aborted) {
      const isServed = await this.#isServed(signal)
      if (signal.aborted) break
      if (isServed) running.push(...this.#begin(signal))
      else if (isServed === false && ++this.#misses >= MAX_MISSES) this.#end()
      const isSettled = this.#isMissing || (this.#informer !== undefined && this.#misses === 0)
      await this.#options.context.clock.sleep(isSettled ? DISCOVERY_INTERVAL : FIRST_DISCOVERY_INTERVAL, signal)
    }
    await Promise.all(running)
  }

  #begin(signal: AbortSignal): Promise<void>[] {
    const { resource, context } = this.#options
    this.#misses = 0
    if (this.#informer !== undefined) return []
    if (this.#isMissing) context.log.info('the cluster serves the resource now', { resource })
    this.#isMissing = false
    context.meter.component(`api-${resource}`, true)
    this.#stop = new AbortController()
    this.#informer = this.#options.makeInformer()
    return [this.#informer.start(AbortSignal.any([signal, this.#stop.signal]))]
  }

  #end(): void {
    const { api, resource, context, onGone } = this.#options
    if (this.#isMissing) return
    this.#isMissing = true
    context.meter.component(`api-${resource}`, false)
    context.log.warn('the cluster does not serve a resource of collect: install its definition, or remove the name', {
      resource,
      api,
    })
    this.#stop?.abort()
    this.#informer = undefined
    onGone()
  }

  /** Undefined where the API server gives no answer. */
  async #isServed(signal: AbortSignal): Promise<boolean | undefined> {
    const { connection, api, resource } = this.#options
    try {
      const response = await connection.json({ path: `/apis/${api}`, signal })
      return listOf(memberOf(response, 'resources')).some((entry) => memberOf(entry, 'name') === resource)
    } catch (error) {
      return memberOf(error, 'status') === 404 ? false : undefined
    }
  }
}
