import {
  type ClaimEntry,
  claimEntry,
  foldClaims,
  type SnapshotTicket,
  snapshotTickets,
  ticketProblem,
} from '../../../facts/inventory/index.ts'
import { KORDER, KUBENODESMITH } from '../../../kinds/index.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { Collector } from './collector.ts'
import { type CollectorOptions, resourceCollector } from './optional-resource.ts'
import type { PodsCollector } from './pods.ts'

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
