/** What the Tickets of a package come to on the nodes of each cluster, and beside what was written by hand. */
import type { Finding } from '../../finding/index.ts'
import type { Fleet, LiveTicket } from '../../inventory/index.ts'
import { isWorkloadSnapshot } from '../../policy/index.ts'
import { indexBy, type Planned, type World } from '../../world/index.ts'
import type { ReservationPlan } from '../plan-order.ts'
import { agentsBeside } from './agents-beside.ts'
import { checkCapacity, type Reservation } from './capacity.ts'
import { duplicatedTickets } from './duplicates.ts'

/** All reservations in one cluster, with its nodes as far as they were looked at, and what lives there. */
interface InCluster {
  readonly reservations: readonly Reservation[]
  readonly fleet?: Fleet
  readonly live: readonly LiveTicket[]
}

/**
 * Findings about all reservations of a package together, beside what was planned before them; only of plans that stand.
 */
export function checkTogether(plans: readonly ReservationPlan[], world: World, before: readonly Planned[]): Finding[] {
  const clusters = byCluster(plans, world)
  return [
    ...clusters.flatMap(({ reservations, fleet }) =>
      fleet === undefined ? [] : checkCapacity(reservations, fleet, agentsBeside(before, fleet.cluster)),
    ),
    ...duplicatedTickets(
      clusters,
      world.items.map(({ object }) => object),
    ),
  ]
}

/**
 * What is paused looks at no nodes of its own: it is counted where it is meant to be, on the nodes that others look at.
 */
function byCluster(plans: readonly ReservationPlan[], world: World): InCluster[] {
  const only = onlyCluster(plans, world)
  const clusters = indexBy(
    plans.filter(({ reservations }) => reservations.length > 0),
    ({ fleet, cluster }) => fleet?.cluster ?? cluster ?? only ?? '',
  )
  return [...clusters].map(([cluster, own]) => {
    const known = own.find(({ live }) => live !== undefined)?.live
    const isToldApart = cluster !== '' && world.items.some(({ object }) => isWorkloadSnapshot(object))
    return {
      reservations: own.flatMap(({ reservations }) => reservations),
      fleet: own.find(({ fleet }) => fleet !== undefined)?.fleet,
      live: known ?? (isToldApart ? (world.live(cluster).value?.tickets ?? []) : []),
    }
  })
}

/** The one cluster of which the nodes are, else what lives is; undefined where there are several. */
function onlyCluster(plans: readonly ReservationPlan[], { items }: World): string | undefined {
  const ofNodes = new Set(plans.flatMap(({ fleet }) => fleet?.cluster ?? []))
  const snapshots = items.filter(({ object }) => isWorkloadSnapshot(object))
  const ofLive = new Set(snapshots.map(({ object }) => (object.spec as { cluster?: unknown } | null)?.cluster))
  const [cluster, another] = ofNodes.size > 0 ? ofNodes : ofLive
  return another === undefined && typeof cluster === 'string' ? cluster : undefined
}
