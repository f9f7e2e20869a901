import {
  type SnapshotClaim,
  type SnapshotParts,
  type SnapshotTicket,
  snapshotClaims,
  snapshotTickets,
  ticketProblem,
} from '../../inventory/index.ts'
import { listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { KORDER, KUBENODESMITH } from '../../policy/index.ts'
import type { KubeObject } from '../api/list.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Asking, Collector, Watch, Watched } from './collector.ts'

type Needed = Pick<ServedOptions<unknown>, 'connection' | 'clock' | 'meter' | 'log'> & {
  readonly watch: Watch
  readonly onChange: () => void
}

/** The Tickets in the cluster. One that is claimed or has ended asks for an evaluation, since it may have to be renewed. */
export function ticketsCollector(needed: Needed): Collector {
  return ofResource(needed, 'tickets', KORDER, 'tickets', keptTicket, (tickets) => ({ tickets }))
}

/** The NodeSmithClaims in the cluster; what becomes of a machine asks for an evaluation. */
export function claimsCollector(needed: Needed): Collector {
  return ofResource(needed, 'claims', KUBENODESMITH, 'nodesmithclaims', keptClaim, (claims) => ({ claims }))
}

function ofResource<T>(
  { connection, clock, meter, log, watch, onChange }: Needed,
  name: 'tickets' | 'claims',
  api: string,
  resource: string,
  trim: (object: KubeObject) => T,
  partOf: (entries: T[]) => SnapshotParts,
): Collector {
  const watchIt = () => watch<T>({ path: `/apis/${api}/${resource}`, resource, trim, onChange })
  const served = new Served<T>({ connection, api, resource, watch: watchIt, onGone: onChange, clock, meter, log })
  return {
    name,
    start: (signal) => served.start(signal),
    get isSynced() {
      return served.isSynced
    },
    part: () => (served.items === undefined ? {} : partOf(inOrder(served.items))),
  }
}

/** Throws a sentence for a Ticket that cannot be read. */
function keptTicket(object: KubeObject): SnapshotTicket {
  const ticket = object as unknown as KubernetesObject
  const problem = ticketProblem(ticket)
  if (problem !== undefined) throw new Error(problem)
  return only(snapshotTickets([ticket]))
}

function keptClaim(object: KubeObject): SnapshotClaim {
  return only(snapshotClaims([object as unknown as KubernetesObject]))
}

function only<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new Error('an object gives one entry')
  return first
}

/** By namespace and name, which is what they are kept under. */
function inOrder<T>(items: ReadonlyMap<string, T>): T[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
}

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
