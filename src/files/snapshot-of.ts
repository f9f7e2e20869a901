import { type PodObject, podProblem, snapshotTickets, ticketProblem, toSnapshot } from '../inventory/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isTicket } from '../policy/index.ts'
import { UserError } from './user-error.ts'

/** The objects that were given besides nodes; undefined where the kind was not given. */
interface Workload {
  readonly pods?: readonly Item[]
  readonly tickets?: readonly Item[]
}

/**
 * A WorkloadSnapshot of Pods and Tickets with the cluster and time of a NodeInventory. Throws `UserError` for invalid
 * objects.
 */
export function snapshotOf(
  { pods, tickets }: Workload,
  nodes: readonly Item[],
  { metadata, spec }: Record<string, unknown>,
): Record<string, unknown> {
  const names = nodes.map(({ object }) => object.metadata.name)
  const { name } = metadata as { name: string }
  const { cluster, observedAt } = spec as { cluster: string; observedAt?: string }
  const options = { name, cluster, observedAt, nodes: names }
  const read = pods && podsIn(pods, names)
  const running = read && new Set(read.flatMap(runningName))
  return toSnapshot(read, { ...options, tickets: tickets && ticketsIn(tickets, names, running) })
}

function podsIn(items: readonly Item[], nodes: readonly string[]): PodObject[] {
  const pods = requireKind(
    items,
    'Pod',
    ({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Pod',
  ) as unknown as PodObject[]
  for (const pod of pods) {
    const problem = podProblem(pod)
    if (problem !== undefined) throw new UserError(`Pod ${pod.metadata.name}: ${problem}`)
  }
  requireSameCluster(
    'pods',
    pods.map((pod) => (pod.spec as { nodeName?: string } | undefined)?.nodeName),
    nodes,
  )
  return pods
}

/** Returns the namespace and name of a pod that has not ended. */
function runningName({ metadata, status }: PodObject): string[] {
  const { phase } = (status ?? {}) as { phase?: unknown }
  return phase === 'Succeeded' || phase === 'Failed' ? [] : [`${metadata.namespace ?? ''}/${metadata.name}`]
}

function ticketsIn(items: readonly Item[], nodes: readonly string[], pods?: ReadonlySet<string>) {
  const tickets = requireKind(items, 'Ticket', isTicket)
  for (const ticket of tickets) {
    const problem = ticketProblem(ticket)
    if (problem !== undefined) throw new UserError(`Ticket ${ticket.metadata.name}: ${problem}`)
  }
  const written = snapshotTickets(tickets, pods)
  // an Expired Ticket may be on a node that is gone
  const living = written.filter(({ phase }) => phase !== 'Expired')
  requireSameCluster(
    'Tickets',
    living.map(({ node }) => node),
    nodes,
  )
  return written
}

function requireKind(
  items: readonly Item[],
  kind: string,
  isOfKind: (object: KubernetesObject) => boolean,
): KubernetesObject[] {
  const objects = items.map(({ object }) => object)
  const other = objects.find((object) => !isOfKind(object))
  if (other !== undefined) throw new UserError(`${other.kind} ${other.metadata.name} is not a ${kind}`)
  return objects
}

function requireSameCluster(what: string, places: readonly (string | undefined)[], nodes: readonly string[]): void {
  const named = new Set(places.flatMap((place) => (place === undefined ? [] : [place])))
  if (named.size > 0 && !nodes.some((node) => named.has(node)))
    throw new UserError(
      `WrongCluster: the ${what} are on none of these nodes: give them and the nodes from one cluster`,
    )
}
