import { type Answers, earliest, indexBy, memoLast, once, type Rendered } from '../../../core/index.ts'
import { type LiveTicket, namedNodes, type Shape } from '../../../facts/inventory/index.ts'
import type { KorderOptions } from '../../../kinds/index.ts'
import { type Finding, listNames, type Subject } from '../../../krm/finding.ts'
import { withoutWireAnnotations } from '../../../krm/identity.ts'
import type { Item } from '../../../krm/types.ts'
import { isTime, type PodSpec, timeText } from '../../../kube/index.ts'
import { taintText } from '../../../kube/taint.ts'
import { livingFindings } from '../check/living.ts'
import { finding } from '../codes.ts'
import { orderNameFindings } from '../order/advice.ts'
import type { Dialect, OrderSettings } from '../order/read-order.ts'
import {
  ambiguousFindings,
  type EarlierTickets,
  hasOrderLabel,
  liveTicketOf,
  readEarlierTickets,
} from './earlier-tickets.ts'
import {
  type FleetNodes,
  ineligible,
  type Judged,
  type LeftOut,
  leftOut,
  mayStay,
  nodesOf,
  selectorText,
} from './eligibility.ts'
import { type EndInput, endOf, isInUse, isRenewed, type Named, nextEnd, untilOf } from './end.ts'
import { type PacedNode, paceTickets, type TicketPace } from './pace.ts'
import {
  generationOf,
  isRefreshedByTime,
  prototypeOf,
  type Refresh,
  stamp,
  type TicketPlan,
  type TicketStyle,
  ticketName,
} from './ticket.ts'

/** With more Tickets than this, an Order's Tickets are written to 256 files instead of 16. */
const MANY = 2000

/** The inputs of an Order's Tickets, besides the Order. */
interface TicketsContext {
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

const MILLION = 1_000_000n

/** The inputs of an Order's Tickets, with its earlier Tickets read. */
interface TicketsInput {
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
interface Wanted {
  readonly node: string
  readonly paced: PacedNode
  /** Returns the Ticket of this run: the wanted one, the earlier one if held back, the next if renewed early. */
  make(turn?: 'held' | 'early'): TicketPlan & Named
}

/** Whether ended Tickets are renewed: only if later runs see the earlier ones, and would not undo or repeat that. */
function mayRenew({ order, isSeen }: TicketsInput): boolean {
  return isRenewed(order) && isSeen
}

/** Returns what each of the nodes should have. */
function wantedTickets(
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
function uidOf(name: string, { uids }: Shape): string {
  return uids !== undefined && Object.hasOwn(uids, name) ? (uids[name] ?? '') : ''
}

/**
 * Returns what the Tickets of Orders say of a node: the Ticket there with each rule that lets the node in, or why there
 * is none now. A node that a rule excludes is answered by the account.
 */
export function ticketAnswers(
  plans: ReadonlyArray<Pick<TicketsPlan, 'order' | 'tickets' | 'nodes'>>,
  shapes: readonly Shape[],
): Answers {
  const shapeOf = once(() => new Map(shapes.flatMap((shape) => shape.nodes.map((name) => [name, shape] as const))))
  const tickets = once(() => {
    const all = plans.flatMap(({ order, tickets }) => tickets.map(({ node, object }) => ({ node, object, order })))
    return indexBy(all, ({ node }) => node)
  })
  return {
    node: (name) => {
      const shape = shapeOf().get(name)
      const [ticket] = tickets().get(name) ?? []
      if (shape !== undefined && ticket !== undefined) {
        const { object, order } = ticket
        return { state: 'Ticket', sentence: `Ticket ${object.metadata.name}`, lines: rulesFor(name, shape, order.pod) }
      }
      const closed = plans.find(({ nodes }) => nodes.includes(name))
      if (closed === undefined) return undefined
      return { state: 'no window', sentence: `${closed.order.name}: no Ticket now: its window is closed` }
    },
  }
}

/** Returns why a node has a Ticket, a line for each rule in their order; see `ineligible`. */
function rulesFor(name: string, shape: Shape, pod: PodSpec): string[] {
  const why = ineligible(name, shape, pod)
  if (why !== undefined) return [`kept although it is not eligible any more: ${why.reason}`]
  const { nodeName, nodeSelector = {}, affinity } = pod
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const places = [
    ...(nodeName ? [`nodeName: the template names the node ${nodeName}`] : []),
    ...(Object.keys(nodeSelector).length > 0 ? [`nodeSelector: ${selectorText(nodeSelector)} matches`] : []),
    ...(required === undefined ? [] : ['affinity: required node affinity matches']),
  ]
  const taints = shape.taints.filter(({ effect }) => effect !== 'PreferNoSchedule')
  return [
    'Ready: it is Ready, and not cordoned',
    ...(places.length > 0 ? places : ['nodeSelector: the template selects every node']),
    ...taints.map((taint) => `taint: ${taintText(taint)} is tolerated`),
  ]
}
