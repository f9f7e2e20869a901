import { memoLast } from '../../../core/index.ts'
import type { LiveTicket, Shape } from '../../../facts/inventory/index.ts'
import type { KorderOptions } from '../../../kinds/index.ts'
import { withoutWireAnnotations } from '../../../krm/annotation.ts'
import { isTime, timeText } from '../../../kube/index.ts'
import type { OrderSettings } from '../order/read-order.ts'
import type { EarlierTickets } from './earlier-tickets.ts'
import { type EndInput, endOf, isInUse, isRenewed, nextEnd } from './end.ts'
import { generationOf, isRefreshedByTime, type Refresh, stamp } from './generation.ts'
import type { PacedNode } from './pace.ts'
import { prototypeOf, type TicketPlan, type TicketStyle, ticketName } from './ticket.ts'
import type { Named } from './until.ts'

const MILLION = 1_000_000n

/** The inputs of an Order's Tickets, with its earlier Tickets read. */
export interface TicketsInput {
  readonly order: OrderSettings
  readonly shapes: readonly Shape[]
  readonly style: TicketStyle
  readonly korder: KorderOptions
  readonly refresh: Refresh
  readonly earlier: EarlierTickets
  readonly live: readonly LiveTicket[]
  readonly isLiveKnown: boolean
  readonly now?: Date
  readonly isSeen: boolean
}

/** The Ticket that a node should have, before a rollout decides whether it gets it in this run. */
export interface Wanted {
  readonly node: string
  readonly paced: PacedNode
  /** Returns the Ticket of this run: the wanted one, the earlier one if held back, the next if renewed early. */
  make(turn?: 'held' | 'early'): TicketPlan & Named
}

/** Whether ended Tickets are renewed: only if later runs see the earlier ones, and would not undo or repeat that. */
export function mayRenew({ order, isSeen }: TicketsInput): boolean {
  return isRenewed(order) && isSeen
}

/** Returns what each of the nodes should have. */
export function wantedTickets(
  chosen: ReadonlyArray<{ name: string; shape: Shape }>,
  input: TicketsInput,
  ending: EndInput,
): Wanted[] {
  const { order, style, korder, refresh, earlier, now, isSeen, isLiveKnown } = input
  const prototype = prototypeOf(order, style)
  const namespace = order.namespace ?? ''
  const { generations, begun, onNode } = earlier
  const isRenewable = mayRenew(input)
  const since = isSeen && now !== undefined ? timeText(now) : undefined
  const renewsEarly = isRenewable && !isRefreshedByTime(order) && (korder.renewAfter !== undefined || isLiveKnown)
  const lasts = renewsEarly ? Number(order.duration / MILLION) : undefined
  return chosen.map(({ name: node, shape }): Wanted => {
    const uid = korder.nodeIdentity === 'uid' ? uidOf(node, shape) : ''
    const identity = { namespace, order: order.name, node, uid }
    // a name is a digest, and most generations are asked for twice
    const nameIn = memoLast((generation: string) => ticketName({ ...identity, specHash: prototype.hash, generation }))
    const before = generations.get(node)
    const known = before?.hash === prototype.hash ? before.generation : undefined
    const present = onNode.get(node)
    if (korder.claimed === 'keep' && present !== undefined && isInUse(ending.live(present.metadata.name))) {
      const kept = { node, nameIn: () => present.metadata.name, object: withoutWireAnnotations(present) }
      return { node, paced: { node, turn: 'same' }, make: () => kept }
    }
    const generation = generationOf({
      order,
      refresh,
      now,
      earlier: known,
      live: ending.live,
      nameIn,
      endOf: (name) => (isRenewable ? endOf(name, order, ending) : undefined),
    })
    const made = (ofGeneration: string): TicketPlan & Named => {
      const name = nameIn(ofGeneration)
      const began = begun.has(name) ? begun.get(name) : since
      return { node, nameIn, object: prototype.make({ name, node, generation: ofGeneration, begun: began }) }
    }
    if (korder.rollout === undefined) return { node, paced: { node, turn: 'same' }, make: () => made(generation) }
    // a node that was created again has the Ticket of another node
    const isOfNode =
      before !== undefined &&
      ticketName({ ...identity, specHash: before.hash, generation: before.generation }) === present?.metadata.name
    const turn = !isOfNode ? 'first' : nameIn(generation) === present.metadata.name ? 'same' : 'replaced'
    // a schedule replaces all Tickets at its fire times, so an end before one is no reason to renew them early
    const isEnding = isRenewable && (turn === 'replaced' || (turn === 'same' && !isRefreshedByTime(order)))
    const end = isEnding && present !== undefined ? nextEnd(present.metadata.name, order, ending) : undefined
    return {
      node,
      paced: { node, turn, begun: timeIn(begun.get(present?.metadata.name ?? '')), end: end?.getTime(), lasts },
      make: (how) => {
        if (how === 'early' && end !== undefined) return made(stamp(end))
        if (how !== 'held' || present === undefined) return made(generation)
        return known === undefined ? { node, nameIn, object: withoutWireAnnotations(present) } : made(known)
      },
    }
  })
}

function timeIn(text: string | undefined): number | undefined {
  return text !== undefined && isTime(text) ? Date.parse(text) : undefined
}

/** Returns the uid of a node; empty if the inventory does not have it. */
export function uidOf(name: string, { uids }: Shape): string {
  return uids !== undefined && Object.hasOwn(uids, name) ? (uids[name] ?? '') : ''
}
