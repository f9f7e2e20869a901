import { type PodObject, podProblem, snapshotTickets, ticketProblem, toSnapshot } from '../inventory/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'
import { isTicket } from '../policy/index.ts'
import { UserError } from './user-error.ts'

/** What was looked at besides nodes; a part that was not is undefined. */
interface Looked {
  readonly pods?: readonly Item[]
  readonly tickets?: readonly Item[]
}

/** The WorkloadSnapshot of the Pods and Tickets, of the same cluster and time as the NodeInventory. Throws `UserError`. */
export function snapshotOf(
  { pods, tickets }: Looked,
  nodes: readonly Item[],
  { metadata, spec }: Record<string, unknown>,
): Record<string, unknown> {
  const names = nodes.map(({ object }) => object.metadata.name)
  const { name } = metadata as { name: string }
  const { cluster, observedAt } = spec as { cluster: string; observedAt?: string }
  const options = { name, cluster, observedAt, nodes: names }
  return toSnapshot(pods && podsIn(pods, names), { ...options, tickets: tickets && ticketsIn(tickets, names) })
}

function podsIn(items: readonly Item[], nodes: readonly string[]): PodObject[] {
  const pods = all(
    items,
    'Pod',
    ({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Pod',
  ) as unknown as PodObject[]
  for (const pod of pods) {
    const problem = podProblem(pod)
    if (problem !== undefined) throw new UserError(`Pod ${pod.metadata.name}: ${problem}`)
  }
  sameCluster(
    'pods',
    pods.map((pod) => (pod.spec as PodSpec | undefined)?.nodeName),
    nodes,
  )
  return pods
}

function ticketsIn(items: readonly Item[], nodes: readonly string[]) {
  const tickets = all(items, 'Ticket', isTicket)
  for (const ticket of tickets) {
    const problem = ticketProblem(ticket)
    if (problem !== undefined) throw new UserError(`Ticket ${ticket.metadata.name}: ${problem}`)
  }
  const written = snapshotTickets(tickets)
  // an Expired one may well be on a node that is gone
  const living = written.filter(({ phase }) => phase !== 'Expired')
  sameCluster(
    'Tickets',
    living.map(({ node }) => node),
    nodes,
  )
  return written
}

function all(items: readonly Item[], kind: string, isOne: (object: KubernetesObject) => boolean): KubernetesObject[] {
  const objects = items.map(({ object }) => object)
  const other = objects.find((object) => !isOne(object))
  if (other !== undefined) throw new UserError(`${other.kind} ${other.metadata.name} is not a ${kind}`)
  return objects
}

function sameCluster(what: string, places: readonly (string | undefined)[], nodes: readonly string[]): void {
  const named = new Set(places.flatMap((place) => (place === undefined ? [] : [place])))
  if (named.size > 0 && !nodes.some((node) => named.has(node)))
    throw new UserError(`WrongCluster: the ${what} are on none of the nodes`)
}
