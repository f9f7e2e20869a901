import {
  type SnapshotClaim,
  type SnapshotParts,
  type SnapshotTicket,
  snapshotClaims,
  snapshotTickets,
  ticketProblem,
} from '../../inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { KORDER, KUBENODESMITH } from '../../policy/index.ts'
import type { KubeObject } from '../api/list.ts'
import type { Collector } from './collector.ts'
import { Served, type ServedOptions } from './served.ts'
import type { Watch } from './source.ts'

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
