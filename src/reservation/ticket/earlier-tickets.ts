import { NODE } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { BEGUN } from './end.ts'
import { GENERATION, SPEC_HASH } from './ticket.ts'

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
