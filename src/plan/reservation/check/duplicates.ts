import { indexBy } from '../../../core/index.ts'
import { type LiveTicket, ticketNode } from '../../../facts/inventory/index.ts'
import { isTicket } from '../../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../../krm/finding.ts'
import { pathOf } from '../../../krm/identity.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { finding } from '../codes.ts'
import type { Reservation } from './capacity.ts'

const MOST_NAMES = 20

/** Reports Tickets that were exported from a cluster; applying them would write their old state back. */
export function liveItems(objects: readonly KubernetesObject[]): Finding[] {
  return objects
    .filter((object) => isTicket(object) && (object.metadata.uid !== undefined || !isEmpty(object.status)))
    .map((subject) =>
      finding(
        'LiveTicketInInput',
        `Ticket ${subject.metadata.name} has ${subject.metadata.uid === undefined ? 'a status' : 'a uid'}`,
        { subject },
      ),
    )
}

/** The Tickets of a cluster: those of the package, those of its last run by name, and those that live. */
interface ClusterTickets {
  readonly reservations: readonly Reservation[]
  readonly earlier: ReadonlySet<string>
  readonly live: readonly LiveTicket[]
}

/**
 * Reports live Tickets of Orders that nodefit does not render, by Order, on nodes where the package reserves: korder
 * made them for an Order in the cluster, another package has them, or an earlier render made them and no tool has
 * pruned them.
 */
export function othersTickets(clusters: readonly ClusterTickets[]): Finding[] {
  return clusters.flatMap(({ reservations, earlier, live }) => {
    if (live.length === 0) return []
    const rendered = new Set(reservations.flatMap(({ tickets }) => tickets.map(({ object }) => object.metadata.name)))
    const nodes = new Set(reservations.flatMap(({ tickets }) => tickets.map(({ node }) => node)))
    const others = live.filter(
      ({ name, node, order, phase }) =>
        order !== undefined &&
        phase !== 'Expired' &&
        nodes.has(node ?? '') &&
        !rendered.has(name) &&
        !earlier.has(name),
    )
    const byOrder = indexBy(others, ({ namespace, order }) =>
      namespace === '' ? String(order) : `${namespace}/${order}`,
    )
    return [...byOrder]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([order, tickets]) => {
        const where = listNames([...new Set(tickets.flatMap(({ node }) => node ?? []))].sort())
        const which = listNames(tickets.map(({ name }) => name).sort())
        const sentence = `Order ${order} has ${plural(tickets.length, 'Ticket')} that this package does not render, ${which}, on ${where}, where its Tickets reserve too`
        return finding('ReservedByOthers', sentence)
      })
  })
}

/**
 * Reports Tickets of the package or the cluster that nodefit did not render, on nodes with a rendered Ticket, such as
 * those written by hand before the Order existed. The finding has the command that deletes them; nodefit does not
 * change them.
 */
export function duplicatedTickets(
  clusters: readonly ClusterTickets[],
  objects: readonly KubernetesObject[],
): Finding[] {
  const foreign = objects.filter((object) => isTicket(object) && ownerOf(object) === undefined)
  if (foreign.length === 0 && clusters.every(({ live }) => live.length === 0)) return []
  const all = clusters.flatMap(({ reservations }) => reservations).flatMap(({ tickets }) => tickets)
  const rendered = new Set(all.map(({ object }) => `${object.metadata.namespace ?? ''}/${object.metadata.name}`))
  const byHand = new Map<string, { namespace: string; name: string; node: string; file?: string }>()
  const add = (
    nodes: ReadonlySet<string>,
    namespace: string,
    name: string,
    node: string | undefined,
    file?: string,
  ) => {
    const key = `${namespace}/${name}`
    if (node !== undefined && nodes.has(node) && !rendered.has(key) && !byHand.has(key))
      byHand.set(key, { namespace, name, node, file })
  }
  const everywhere = new Set(all.map(({ node }) => node))
  for (const object of foreign)
    add(everywhere, object.metadata.namespace ?? '', object.metadata.name, ticketNode(object), pathOf({ object }))
  for (const { reservations, live } of clusters) {
    const nodes = new Set(reservations.flatMap(({ tickets }) => tickets.map(({ node }) => node)))
    for (const { namespace, name, node, order } of live) if (order === undefined) add(nodes, namespace, name, node)
  }
  const namespaces = [...new Set([...byHand.values()].map(({ namespace }) => namespace))].sort()
  return namespaces.map((namespace) => {
    const inNamespace = [...byHand.values()]
      .filter((one) => one.namespace === namespace)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    const where = listNames([...new Set(inNamespace.map(({ node }) => node))])
    const inGit = [...new Set(inNamespace.flatMap(({ file }) => file ?? []))].sort()
    const command = `kubectl ${namespace === '' ? '' : `-n ${namespace} `}delete ticket ${inNamespace.map(({ name }) => name).join(' ')}`
    const sentence = `${listNames(
      inNamespace.map(({ name }) => name),
      MOST_NAMES,
    )} ${inNamespace.length === 1 ? 'reserves' : 'reserve'} on ${where}, where rendered Tickets reserve too; ${inGit.length === 0 ? '' : `remove those of the package from ${listNames(inGit, MOST_NAMES)}, then `}run ${command}`
    return finding('TicketDuplicated', sentence)
  })
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}
