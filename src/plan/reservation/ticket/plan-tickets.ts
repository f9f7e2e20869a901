import { earliest, type Rendered } from '../../../core/index.ts'
import { type LiveTicket, namedNodes, type Shape } from '../../../facts/inventory/index.ts'
import type { KorderOptions } from '../../../kinds/index.ts'
import { type Finding, listNames, type Subject } from '../../../krm/finding/index.ts'
import type { Item } from '../../../krm/types.ts'
import { livingFindings } from '../check/living.ts'
import { finding } from '../codes.ts'
import { orderNameFindings } from '../order/advice.ts'
import type { Dialect, OrderSettings } from '../order/read-order.ts'
import { hasOrderLabel, readEarlierTickets } from './earlier-tickets.ts'
import { type FleetNodes, ineligible, mayStay, nodesOf } from './eligibility.ts'
import { type EndInput, isInUse, isRenewed } from './end.ts'
import type { Refresh } from './generation.ts'
import { type Judged, type LeftOut, leftOut } from './left-out.ts'
import { ambiguousFindings, liveTicketOf } from './live-tickets.ts'
import { paceTickets, type TicketPace } from './pace.ts'
import type { TicketPlan } from './ticket.ts'
import { untilOf } from './until.ts'
import { mayRenew, type TicketsInput, uidOf, type Wanted, wantedTickets } from './wanted.ts'

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

/** What is planned of several Orders that share a rollout: an Order, or those of the groups of a policy. */
export interface PlannedTickets {
  readonly plans: readonly TicketsPlan[]
  /** What holds of all of them together. */
  readonly findings: readonly Finding[]
}

/** Plans the Tickets of Orders, which are replaced together as a rollout permits. */
export function planTickets(
  asked: ReadonlyArray<{ readonly order: OrderSettings; readonly context: TicketsContext }>,
  subject: Subject,
): PlannedTickets {
  const [first] = asked
  const inputs = asked.map(({ order, context }) => ({ order, context, input: inputOf(order, context) }))
  const judged = inputs.map((one) => ({ ...one, chosen: chooseNodes(one.input) }))
  const { now, isSeen, korder } = first?.context ?? { isSeen: false }
  const paced = judged.flatMap(({ chosen }) => chosen.wanted.map((one) => one.paced))
  const pace =
    korder?.rollout === undefined || now === undefined || !isSeen
      ? undefined
      : paceTickets(paced, korder.rollout, {
          now,
          subject,
          duration: first !== undefined && isRenewed(first.order) ? first.order.duration : undefined,
        })
  const plans = judged.map(({ order, context, input, chosen }) => {
    const made = ticketsOf(input, chosen, pace)
    const digits = made.tickets.length > MANY ? 2 : 1
    const objects = made.tickets.map(({ object, node }) => {
      const file = `tickets-${order.name}-${object.metadata.name.slice(-10).slice(0, digits)}.yaml`
      return { object, file, about: node, node, ...namedNodes([node]) }
    })
    const live = context.isLiveKnown ? context.live : undefined
    const state = { tickets: made.tickets, earlier: input.earlier.begun.keys(), live }
    const keepsClaimed = context.korder.claimed === 'keep'
    const living = livingFindings({ order, ...state, now: context.now, keepsClaimed })
    return { order, ...made, objects, findings: [...orderNameFindings(order), ...made.findings, ...living] }
  })
  return { plans, findings: pace?.findings ?? [] }
}

/** Reads what an Order's Tickets depend on. */
function inputOf(order: OrderSettings, context: TicketsContext): TicketsInput {
  const { shapes, dialect, korder, refresh, live, isLiveKnown, now, isSeen } = context
  const style = { dialect, pin: korder.pin, orderLabel: hasOrderLabel(order.name, context) }
  const earlier = readEarlierTickets(context.earlier)
  return { order, shapes, style, korder, refresh, earlier, live, isLiveKnown, now, isSeen }
}

/** The eligible nodes of an Order, in name order, with the Tickets that they should have, and the nodes left out. */
interface Chosen {
  readonly nodes: readonly string[]
  readonly wanted: readonly Wanted[]
  readonly left: readonly LeftOut[]
  readonly findings: readonly Finding[]
  readonly ending: EndInput
}

function chooseNodes(input: TicketsInput): Chosen {
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
  const ending = endingOf(input)
  const wanted = findings.length > 0 || !input.refresh.isOpen ? [] : wantedTickets(chosen, input, ending)
  return { nodes: chosen.map(({ name }) => name), wanted, left, findings, ending }
}

/** Returns one Ticket for each eligible node, as far as a rollout permits, and the nodes that get none. */
function ticketsOf(
  input: TicketsInput,
  { nodes, wanted, left, findings, ending }: Chosen,
  pace: TicketPace | undefined,
): Omit<TicketsPlan, 'order' | 'objects'> {
  const { order, refresh, isSeen } = input
  const tickets = wanted.map(({ node, make }) =>
    make(pace?.held.has(node) ? 'held' : pace?.early.has(node) ? 'early' : undefined),
  )
  const hasNodes = nodes.length > 0
  const own = untilOf({ order, refresh, tickets, hasNodes, mayRenew: mayRenew(input), isSeen, ending })
  const until = earliest([own, pace?.until])
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

function missingUids(
  chosen: ReadonlyArray<{ name: string; shape: Shape }>,
  { order, korder }: TicketsInput,
): Finding[] {
  if (korder.nodeIdentity !== 'uid') return []
  const names = chosen.filter(({ name, shape }) => uidOf(name, shape) === '').map(({ name }) => name)
  if (names.length === 0) return []
  return [finding('NodeUidMissing', `${order.name}: ${listNames(names)} have no uid`, { subject: order.subject })]
}

/**
 * Reports node names that Kubernetes does not allow. They are not corrected: a corrected name may equal another.
 */
function badNames({ badNames: bad }: FleetNodes, { name, subject }: OrderSettings): Finding[] {
  return bad.length === 0
    ? []
    : [finding('NodeNameInvalid', `${name}: not valid node names: ${listNames(bad)}`, { subject })]
}
