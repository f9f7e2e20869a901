import {
  type ClaimEntry,
  claimEntry,
  foldClaims,
  type SnapshotMachine,
  type SnapshotParts,
  type SnapshotPool,
  type SnapshotTicket,
  snapshotMachines,
  snapshotPools,
  snapshotTickets,
  ticketProblem,
} from '../../../facts/inventory/index.ts'
import { KORDER, KUBENODESMITH } from '../../../kinds/index.ts'
import { listOf, memberOf } from '../../../krm/map.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { EngineContext } from '../context.ts'
import type { Collector, Informer, JsonClient, MakeInformer, PartName } from './collector.ts'
import type { PodsCollector } from './pods.ts'

/** Milliseconds between two discovery requests: once it is known whether the API is served, and before. */
const DISCOVERY_INTERVAL = 60_000
const FIRST_DISCOVERY_INTERVAL = 10_000
/** A starting API server may not list every API: after this many responses without it the API counts as not served. */
const MAX_MISSES = 3

interface CollectorOptions {
  readonly connection: JsonClient
  readonly makeInformer: MakeInformer
  readonly onChange: () => void
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
}

/** Makes the collector of a custom resource; a change starts an evaluation. */
function resourceCollector<T>(
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
function optionalResource<T>(
  { connection, context, makeInformer, onChange }: CollectorOptions,
  api: string,
  resource: string,
  trim: (object: KubeObject) => T,
): OptionalResource<T> {
  const informer = () => makeInformer<T>({ path: `/apis/${api}/${resource}`, resource, trim, onChange })
  return new OptionalResource<T>({ connection, api, resource, makeInformer: informer, onGone: onChange, context })
}

/** Sorted by the keys of the cache: namespace and name. */
function sortedByKey<T>(items: ReadonlyMap<string, T>): T[] {
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
class OptionalResource<T> {
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

/**
 * Collects the Tickets of the cluster. A change starts an evaluation: a Ticket that is claimed or has ended may have to
 * be renewed. `hasPod` tells whether the pod that claimed a Ticket is still there, where pods are collected too.
 */
export function ticketsCollector(options: CollectorOptions, hasPod?: PodsCollector['has']): Collector {
  const withPod = (ticket: SnapshotTicket): SnapshotTicket => {
    const isThere = ticket.pod === undefined ? undefined : hasPod?.(ticket.pod)
    return isThere === undefined ? ticket : { ...ticket, podGone: !isThere }
  }
  const partOf = (tickets: SnapshotTicket[]) => ({ tickets: tickets.map(withPod) })
  return resourceCollector(options, 'tickets', KORDER, 'tickets', keptTicket, partOf)
}

/** Collects the NodeSmithClaims of the cluster. A change starts an evaluation. */
export function claimsCollector(options: CollectorOptions): Collector {
  return resourceCollector(options, 'claims', KUBENODESMITH, 'nodesmithclaims', keptClaim, (claims) => ({
    claims: foldClaims(claims),
  }))
}

/** Throws an error with a sentence for a malformed Ticket. */
function keptTicket(object: KubeObject): SnapshotTicket {
  const ticket = object as unknown as KubernetesObject
  const problem = ticketProblem(ticket)
  if (problem !== undefined) throw new Error(problem)
  return onlyEntry(snapshotTickets([ticket]))
}

function keptClaim(object: KubeObject): ClaimEntry {
  return claimEntry(object as unknown as KubernetesObject)
}

function onlyEntry<T>(entries: readonly T[]): T {
  const [first] = entries
  if (first === undefined) throw new Error('an object gives one entry')
  return first
}

const CLUSTER_API = 'cluster.x-k8s.io/v1beta2'

/** Collects the NodeSmithPools of the cluster. A change starts an evaluation. */
export function poolsCollector(options: CollectorOptions): Collector {
  const trim = (object: KubeObject) => snapshotPools([object as unknown as KubernetesObject])[0] as SnapshotPool
  return resourceCollector(options, 'pools', KUBENODESMITH, 'nodesmithpools', trim, (pools) => ({ pools }))
}

/** Collects the Machines and MachineDeployments of Cluster API. A change starts an evaluation. */
export function machinesCollector(options: CollectorOptions): Collector {
  const [machines, deployments] = (
    [
      ['machines', 'Machine'],
      ['machinedeployments', 'MachineDeployment'],
    ] as const
  ).map(([resource, kind]) =>
    optionalResource(options, CLUSTER_API, resource, (object): SnapshotMachine => {
      // items of a list have no kind
      const [entry] = snapshotMachines([{ ...object, kind } as unknown as KubernetesObject])
      return entry as SnapshotMachine
    }),
  ) as [ReturnType<typeof optionalResource<SnapshotMachine>>, ReturnType<typeof optionalResource<SnapshotMachine>>]
  return {
    name: 'machines',
    start: async (signal) => {
      await Promise.all([machines, deployments].map((one) => one.start(AbortSignal.any([signal]))))
    },
    get isSynced() {
      return machines.isSynced && deployments.isSynced
    },
    part() {
      const known = [machines.items, deployments.items]
      const isKnown = known.every((items) => items !== undefined)
      return isKnown ? { machines: known.flatMap((items) => sortedByKey(items ?? new Map())) } : {}
    },
  }
}
