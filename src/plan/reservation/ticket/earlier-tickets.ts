import { indexBy, memoOf, type Rendered, type World } from '../../../core/index.ts'
import { type LiveTicket, namedNodes } from '../../../facts/inventory/index.ts'
import { isTicket, type KorderOptions } from '../../../kinds/index.ts'
import { type Finding, listNames, plural, type Subject } from '../../../krm/finding.ts'
import { identityOf, isLocalConfig, withoutWireAnnotations } from '../../../krm/identity.ts'
import { BEGUN, GENERATION, markedNode, NODE, SPEC_HASH, TEMPLATE } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import { isLabelValue } from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import type { OrderSettings } from '../order/read-order.ts'
import { ORDER_LABEL, type TicketPlan } from './ticket.ts'

/** What an Order's earlier Tickets record in their annotations. */
export interface EarlierTickets {
  /** By node: the generation and the spec hash of its Ticket. */
  readonly generations: ReadonlyMap<string, { generation: string; hash: string }>
  /** By Ticket name: when it began; undefined if it has no such annotation. */
  readonly begun: ReadonlyMap<string, string | undefined>
  /** By node: its Ticket. */
  readonly onNode: ReadonlyMap<string, KubernetesObject>
}

/**
 * Reads the annotations of earlier Tickets. Values that are not strings are ignored, and not copied to the next Ticket.
 */
export function readEarlierTickets(earlier: readonly Item[]): EarlierTickets {
  const generations = new Map<string, { generation: string; hash: string }>()
  const begun = new Map<string, string | undefined>()
  const onNode = new Map<string, KubernetesObject>()
  for (const { object } of earlier) {
    const { annotations, name } = object.metadata
    const { [NODE]: node, [GENERATION]: generation = '', [SPEC_HASH]: hash = '' } = annotations ?? {}
    const since: unknown = annotations?.[BEGUN]
    begun.set(name, typeof since === 'string' ? since : undefined)
    const isOurs = [node, generation, hash].every((text: unknown) => typeof text === 'string')
    if (node === undefined || !isOurs || generations.has(node)) continue
    generations.set(node, { generation, hash })
    onNode.set(node, object)
  }
  return { generations, begun, onNode }
}

/**
 * Whether Tickets of the named Order have its label. Unless the user says so it stays as the earlier Tickets have it.
 * It is left off where the Order may be live in the cluster: nodefit keeps it back, and its user did not before. When
 * that Order is deleted korder deletes all Tickets with its label. An Order of another name is that of a group, which
 * was never live.
 */
export function hasOrderLabel(
  name: string,
  { source, earlier, korder }: { source: Subject; earlier: readonly Item[]; korder: KorderOptions },
): boolean {
  if (korder.orderLabel !== undefined) return korder.orderLabel
  const { annotations } = source.metadata
  const mayBeLive = source.metadata.name === name && !(isLocalConfig(annotations) && annotations?.[TEMPLATE] !== 'true')
  return !mayBeLive || earlier.some(({ object }) => object.metadata.labels?.[ORDER_LABEL] === name)
}

/**
 * Reports Tickets without the Order's label where the Order is no object of the package, as in kustomize: it is never
 * retired there, and what earlier Tickets had is not seen.
 */
export function labelFindings(subject: Item, tickets: readonly TicketPlan[], world: World): Finding[] {
  const { isSeen, options, items } = world
  if (isSeen || options.korder.orderLabel !== undefined) return []
  const identity = identityOf(subject.object)
  if (items.some(({ object }) => identityOf(object) === identity)) return []
  const { name } = subject.object.metadata
  const without = tickets.filter(({ object }) => object.metadata.labels?.[ORDER_LABEL] !== name)
  if (without.length === 0 || !isLabelValue(name)) return []
  const sentence = `${name}: its Tickets are rendered without the label ${ORDER_LABEL}`
  const field = { path: 'spec.korder.orderLabel' }
  return [finding('OrderLabelLeftOff', sentence, { subject: subject.object, field })]
}

/**
 * Returns the earlier Tickets of a paused Order unchanged, whatever the nodes are; NeedsEarlierOutput if there are
 * none.
 */
export function keptTickets(
  earlier: readonly Item[],
  name: string,
  subject: Subject,
): { objects: Rendered[]; tickets: TicketPlan[]; findings: Finding[] } {
  const objects = [...new Map(earlier.map(({ object }) => [`${object.kind} ${object.metadata.name}`, object])).values()]
  if (!objects.some(isTicket)) {
    const field = { path: 'spec.paused', currentValue: true }
    const sentence = `${name} is paused, and none of its Tickets is in the input`
    return { objects: [], tickets: [], findings: [finding('NeedsEarlierOutput', sentence, { subject, field })] }
  }
  const kept = objects.map((object) => keptObject(object, name))
  const tickets = kept.flatMap(({ object, nodes: [node] }) => (node === undefined ? [] : [{ object, node }]))
  return { objects: kept, tickets, findings: [] }
}

/** Renders an earlier object of an Order, or of a policy that sizes one, unchanged; `name` is part of its file name. */
export function keptObject(object: KubernetesObject, name: string): Rendered {
  const ticket = String(object.metadata.name)
  const node = markedNode(object)
  const file = isTicket(object) ? `tickets-${name}-${ticket.slice(-10, -9)}.yaml` : `${name}-groups.yaml`
  return {
    object: withoutWireAnnotations(object),
    file,
    about: node ?? ticket,
    isKept: true,
    ...namedNodes(node === undefined ? [] : [node]),
  }
}

const byName = memoOf((live: readonly LiveTicket[]) => indexBy(live, ({ name }) => name))

/** The part of an Order that its live Tickets are found by. */
type LiveOwner = Pick<OrderSettings, 'name' | 'namespace'>

/**
 * Returns the live Ticket of a name for an Order; undefined if the snapshot shows none. An Order without a namespace is
 * given one later, by kubectl, Argo CD or kustomize, so its Tickets are found in any: a name has its Order and its node
 * in its hash. Of several the one that reserves longest counts, so that none is renewed while it may still hold.
 */
export function liveTicketOf(live: readonly LiveTicket[], owner: LiveOwner, name: string): LiveTicket | undefined {
  return candidatesOf(live, owner, name).reduce<LiveTicket | undefined>(
    (best, one) => (best === undefined || lifeOf(one) > lifeOf(best) ? one : best),
    undefined,
  )
}

function candidatesOf(
  live: readonly LiveTicket[],
  { name: order, namespace }: LiveOwner,
  name: string,
): readonly LiveTicket[] {
  const named = byName(live).get(name) ?? []
  return named.filter((one) =>
    namespace === undefined ? one.order === undefined || one.order === order : one.namespace === namespace,
  )
}

/** Returns until when a Ticket reserves, in milliseconds: an Expired one not at all, one without an end forever. */
function lifeOf({ phase, expiresAt }: LiveTicket): number {
  return phase === 'Expired' ? -1 : (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
}

/** Reports Tickets of an Order without a namespace that the cluster has in several. */
export function ambiguousFindings(
  live: readonly LiveTicket[],
  { name, namespace, subject }: OrderSettings,
  tickets: Iterable<string>,
): Finding[] {
  if (namespace !== undefined || live.length === 0) return []
  const several = [...tickets].map((ticket) => candidatesOf(live, { name }, ticket)).filter(({ length }) => length > 1)
  if (several.length === 0) return []
  const namespaces = [...new Set(several.flat().map((one) => one.namespace))].sort()
  const sentence = `${name}: the cluster has ${plural(several.length, 'Ticket')} of the same name in the namespaces ${listNames(namespaces, namespaces.length)}`
  return [finding('LiveTicketsAmbiguous', sentence, { subject, field: { path: 'metadata.namespace' } })]
}
