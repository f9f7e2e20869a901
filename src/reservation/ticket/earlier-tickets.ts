import type { Finding, Subject } from '../../finding/index.ts'
import { namedNodes } from '../../inventory/index.ts'
import { withoutWireAnnotations } from '../../krm/annotation.ts'
import { BEGUN, GENERATION, markedNode, NODE, SPEC_HASH } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isTicket } from '../../policy/index.ts'
import type { Rendered } from '../../world/index.ts'
import { finding } from '../codes.ts'
import type { TicketPlan } from './ticket.ts'

/** What an Order's earlier Tickets say of themselves. */
export interface EarlierTickets {
  /** What each node's Ticket was rendered as. */
  readonly generations: ReadonlyMap<string, { generation: string; hash: string }>
  /** When each Ticket was begun, by its name; undefined where it does not say. */
  readonly begun: ReadonlyMap<string, string | undefined>
}

/** Reads what earlier Tickets remember. What is no text there is not ours, and is not written into the next Ticket. */
export function readEarlierTickets(earlier: readonly Item[]): EarlierTickets {
  const generations = new Map<string, { generation: string; hash: string }>()
  const begun = new Map<string, string | undefined>()
  for (const { object } of earlier) {
    const { annotations, name } = object.metadata
    const { [NODE]: node, [GENERATION]: generation = '', [SPEC_HASH]: hash = '' } = annotations ?? {}
    const since: unknown = annotations?.[BEGUN]
    begun.set(name, typeof since === 'string' ? since : undefined)
    const isOurs = [node, generation, hash].every((text: unknown) => typeof text === 'string')
    if (node !== undefined && isOurs && !generations.has(node)) generations.set(node, { generation, hash })
  }
  return { generations, begun }
}

/** A paused Order keeps what was rendered before, whatever the nodes do; without that there is nothing to keep. */
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

/**
 * What was rendered before, as it is, for an Order or a policy that sizes one; `name` is what its files are called by.
 */
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
