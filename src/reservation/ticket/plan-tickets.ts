import { type Finding, listNames, type Subject } from '../../finding/index.ts'
import { type LiveTicket, namedNodes, type Shape } from '../../inventory/index.ts'
import type { Item } from '../../krm/types.ts'
import { timeText } from '../../kube/index.ts'
import type { KorderOptions } from '../../policy/index.ts'
import type { Rendered } from '../../world/index.ts'
import { livingFindings } from '../check/living.ts'
import { finding } from '../codes.ts'
import { orderNameFindings } from '../order/advice.ts'
import type { Dialect, OrderSettings } from '../order/read-order.ts'
import { type EarlierTickets, hasOrderLabel, readEarlierTickets } from './earlier-tickets.ts'
import { type FleetNodes, ineligible, mayStay, nodesOf } from './eligibility.ts'
import { type EndInput, endOf, isRenewed } from './end.ts'
import { generationOf, type Refresh } from './generation.ts'
import { type Judged, type LeftOut, leftOut } from './left-out.ts'
import { ambiguousFindings, liveTicketOf } from './live-tickets.ts'
import { prototypeOf, type TicketPlan, type TicketStyle, ticketName } from './ticket.ts'
import { type Named, untilOf } from './until.ts'

/** With more Tickets than this, an Order's Tickets are written to 256 files instead of 16. */
const MANY = 2000

/** The inputs of an Order's Tickets, besides the Order. */
export interface TicketsContext {
  /** The Order in the package, or the one that a policy sizes. */
  readonly source: Subject
  readonly shapes: readonly Shape[]
  readonly dialect: Dialect
  readonly earlier: readonly Item[]
  readonly korder: KorderOptions
  readonly refresh: Refresh
  readonly live: readonly LiveTicket[]
  readonly isLiveKnown: boolean
  readonly now?: Date
  /** Whether the input can contain earlier output. */
  readonly isSeen: boolean
}

/** The Tickets of one Order on the given nodes; if there are errors, none may be used. */
export interface TicketsPlan {
  readonly order: OrderSettings
  readonly tickets: readonly TicketPlan[]
  /** The nodes with a Ticket now, or that would have one if the Order's window were open. */
  readonly nodes: readonly string[]
  readonly left: readonly LeftOut[]
  readonly objects: readonly Rendered[]
  readonly findings: readonly Finding[]
  /** The next instant at which the Tickets change. */
  readonly until?: Date
}

/** Plans the Tickets of one Order. */
export function planTickets(order: OrderSettings, context: TicketsContext): TicketsPlan {
  const { shapes, dialect, korder, refresh, live, now, isSeen } = context
  const style = { dialect, pin: korder.pin, orderLabel: hasOrderLabel(order.name, context) }
  const earlier = readEarlierTickets(context.earlier)
  const made = ticketsOf({ order, shapes, style, korder, refresh, earlier, live, now, isSeen })
  const digits = made.tickets.length > MANY ? 2 : 1
  const objects = made.tickets.map(({ object, node }) => {
    const file = `tickets-${order.name}-${object.metadata.name.slice(-10).slice(0, digits)}.yaml`
    return { object, file, about: node, node, ...namedNodes([node]) }
  })
  const state = { tickets: made.tickets, earlier: earlier.begun.keys(), live: context.isLiveKnown ? live : undefined }
  const living = livingFindings({ order, ...state, now })
  return { order, ...made, objects, findings: [...orderNameFindings(order), ...made.findings, ...living] }
}

/** The inputs of an Order's Tickets, with its earlier Tickets read. */
export interface TicketsInput {
  readonly order: OrderSettings
  readonly shapes: readonly Shape[]
  readonly style: TicketStyle
  readonly korder: KorderOptions
  readonly refresh: Refresh
  readonly earlier: EarlierTickets
  readonly live: readonly LiveTicket[]
  readonly now?: Date
  readonly isSeen: boolean
}

/** Returns one Ticket for each eligible node, in name order, and the nodes that get none. */
export function ticketsOf(input: TicketsInput): {
  tickets: TicketPlan[]
  nodes: string[]
  left: LeftOut[]
  findings: Finding[]
  until?: Date
} {
  const { order, shapes, korder } = input
  const fleet = nodesOf(shapes)
  const { nodes: near, others } = fleet.near(order.pod)
  const judged = near.map((node): Judged => {
    const { name, shape } = node
    const why = ineligible(name, shape, order.pod)
    const before = korder.claimed === 'keep' ? input.earlier.onNode.get(name) : undefined
    const isClaimed = before !== undefined && isInUse(liveTicketOf(input.live, order, before.metadata.name))
    const stays = isClaimed || (korder.keep && input.earlier.generations.has(name))
    const isKept = why !== undefined && stays && mayStay(name, shape, order.pod)
    return { ...node, why: isKept ? undefined : why }
  })
  const chosen = judged.filter(({ why }) => why === undefined)
  const left = leftOut(fleet, judged, others)
  const findings = [...badNames(fleet, order), ...missingUids(chosen, input)]
  const nodes = chosen.map(({ name }) => name)
  const ending = endingOf(input)
  const tickets = findings.length > 0 || !input.refresh.isOpen ? [] : makeTickets(chosen, input, ending)
  const { refresh, isSeen } = input
  const hasNodes = nodes.length > 0
  const until = untilOf({ order, refresh, tickets, hasNodes, mayRenew: mayRenew(input), isSeen, ending })
  const names = new Set([...tickets.map(({ object }) => object.metadata.name), ...input.earlier.begun.keys()])
  return { tickets, nodes, left, findings: [...findings, ...ambiguousFindings(input.live, order, names)], until }
}

/** Returns the inputs that decide whether Tickets of the Order have ended. */
function endingOf({ order, korder, earlier, live, now }: TicketsInput): EndInput {
  return {
    now,
    renewAfter: korder.renewAfter,
    live: (name) => liveTicketOf(live, order, name),
    begun: earlier.begun,
    claimed: korder.claimed,
  }
}

/**
 * Whether ended Tickets are renewed: only if later runs see the earlier Tickets, since they would otherwise undo or
 * repeat the renewal.
 */
function mayRenew({ order, isSeen }: TicketsInput): boolean {
  return isRenewed(order) && isSeen
}

function makeTickets(
  chosen: ReadonlyArray<{ name: string; shape: Shape }>,
  input: TicketsInput,
  ending: EndInput,
): Array<TicketPlan & Named> {
  const { order, style, korder, refresh, earlier, now, isSeen } = input
  const prototype = prototypeOf(order, style)
  const namespace = order.namespace ?? ''
  const { generations, begun, onNode } = earlier
  const isRenewable = mayRenew(input)
  const since = isSeen && now !== undefined ? timeText(now) : undefined
  return chosen.map(({ name: node, shape }) => {
    const uid = korder.nodeIdentity === 'uid' ? uidOf(node, shape) : ''
    const nameIn = (generation: string) =>
      ticketName({ namespace, order: order.name, node, uid, specHash: prototype.hash, generation })
    const before = generations.get(node)
    const known = before?.hash === prototype.hash ? before.generation : undefined
    const generation = generationOf({
      order,
      refresh,
      now,
      earlier: known,
      live: ending.live,
      nameIn,
      endOf: (name) => (isRenewable ? endOf(name, order, ending) : undefined),
    })
    const kept = korder.claimed === 'keep' ? onNode.get(node) : undefined
    if (kept !== undefined && isInUse(ending.live(kept.metadata.name)))
      return { node, nameIn: () => kept.metadata.name, object: kept }
    const name = nameIn(generation)
    return {
      node,
      nameIn,
      object: prototype.make({ name, node, generation, begun: begun.has(name) ? begun.get(name) : since }),
    }
  })
}

/** Whether a pod that claimed a Ticket may still use its room. */
function isInUse(ticket: LiveTicket | undefined): boolean {
  return ticket?.phase === 'Claimed' && ticket.podGone !== true
}

function missingUids(
  chosen: ReadonlyArray<{ name: string; shape: Shape }>,
  { order, korder }: TicketsInput,
): Finding[] {
  if (korder.nodeIdentity !== 'uid') return []
  const names = chosen.filter(({ name, shape }) => uidOf(name, shape) === '').map(({ name }) => name)
  if (names.length === 0) return []
  return [finding('NodeUidMissing', `${order.name}: ${listNames(names)} have no uid`, { subject: order.subject })]
}

function uidOf(name: string, { uids }: Shape): string {
  return uids !== undefined && Object.hasOwn(uids, name) ? (uids[name] ?? '') : ''
}

/**
 * Reports node names that Kubernetes does not allow. They are not corrected: a corrected name may equal another.
 */
function badNames({ badNames: bad }: FleetNodes, { name, subject }: OrderSettings): Finding[] {
  return bad.length === 0
    ? []
    : [finding('NodeNameInvalid', `${name}: not valid node names: ${listNames(bad)}`, { subject })]
}
