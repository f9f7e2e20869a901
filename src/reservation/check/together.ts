import type { Finding } from '../../finding/index.ts'
import type { Fleet, LiveTicket } from '../../inventory/index.ts'
import { KubeError, podRequests, type Quantity, withDefaultRequests } from '../../kube/index.ts'
import { isReadablePodSpec, podSpecOf } from '../../object/index.ts'
import { isWorkloadSnapshot } from '../../policy/index.ts'
import { indexBy, type Planned, type Rendered, type World } from '../../world/index.ts'
import type { ReservationPlan } from '../plan-order.ts'
import { checkCapacity, type Reservation } from './capacity.ts'
import { duplicatedTickets } from './duplicates.ts'

/** What the Tickets of a package come to on the nodes of each cluster, and beside what was written by hand. */

/** All reservations in one cluster, with its nodes as far as they were looked at, and what lives there. */
interface InCluster {
  readonly reservations: readonly Reservation[]
  readonly fleet?: Fleet
  readonly live: readonly LiveTicket[]
}

/**
 * Findings about all reservations of a package, next to the objects that other planners rendered before them.
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

type Requests = Readonly<Record<string, Quantity>>

/**
 * What the agents that were planned before the Tickets request on a node of a cluster, one entry for each agent: beside
 * them a guardian has to find its room. An agent whose pods no node would take, since its amounts cannot be read, takes
 * none.
 */
export function agentsBeside(planned: readonly Planned[], cluster: string): (node: string) => readonly Requests[] {
  const byNode = new Map<string, Requests[]>()
  const inCluster = planned.filter((one) => one.isEnabled && (one.cluster === undefined || one.cluster === cluster))
  for (const rendered of inCluster.flatMap(({ objects }) => objects)) {
    const requests = requestsOf(rendered)
    if (requests === undefined) continue
    for (const node of rendered.nodes) {
      const known = byNode.get(node)
      if (known === undefined) byNode.set(node, [requests])
      else known.push(requests)
    }
  }
  return (node) => byNode.get(node) ?? []
}

function requestsOf({ object }: Rendered): Requests | undefined {
  const pod = podSpecOf(object)
  if (!isReadablePodSpec(pod)) return undefined
  try {
    return podRequests(withDefaultRequests(pod))
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}
