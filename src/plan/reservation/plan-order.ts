import {
  countNodes,
  type Demand,
  demandOf,
  emptyPlanned,
  type Facts,
  type Line,
  type Planned,
  type Rendered,
  type World,
} from '../../core/index.ts'
import { hasInstanceLabel, instanceLabelFindings } from '../../core/object/index.ts'
import { type Fleet, type Live, type LiveTicket, namedNodes } from '../../facts/inventory/index.ts'
import { isTicket, ORDER_DEFAULTS } from '../../kinds/index.ts'
import { type Finding, isError, type Read } from '../../krm/finding.ts'
import { isLocalConfig } from '../../krm/identity.ts'
import { ownerName } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { timeText } from '../../kube/index.ts'
import { keysAt, notExportedFindings, notNamedFindings } from '../sizing/index.ts'
import type { Reservation } from './check/capacity.ts'
import { finding } from './codes.ts'
import { clockFindings, habitFindings } from './order/advice.ts'
import type { Dialect, OrderSettings } from './order/read-order.ts'
import { nameTells } from './order/target.ts'
import { keptTickets, labelFindings } from './ticket/earlier-tickets.ts'
import { LEFT_OUT, leftLines } from './ticket/eligibility.ts'
import { endFindings, isRenewed, NO_RENEWAL, type Renewal } from './ticket/end.ts'
import { planTickets, type TicketsPlan, ticketAnswers } from './ticket/plan-tickets.ts'
import { isRefreshedByTime, type Refresh, refreshAt } from './ticket/ticket.ts'

/** The plan of an Order, or of a policy that sizes one, with its Tickets, which checks across Orders read. */
export interface ReservationPlan {
  readonly planned: Planned
  readonly reservations: readonly Reservation[]
  /** The cluster that it names. */
  readonly cluster?: string
  /** The nodes and live Tickets of the cluster; undefined for a paused plan, which does not read them. */
  readonly fleet?: Fleet
  readonly live?: readonly LiveTicket[]
}

/** The reason, in words, why an Order in DaemonSet mode needs the names of nodes. */
export const ONE_BY_ONE = 'each Ticket names its node'

/** The account line of a paused Order, whose Tickets are kept. */
export const PAUSED: Line = { kind: 'state', state: 'paused' }

/** Plans the Tickets of an Order in DaemonSet mode: one on each eligible node. */
export function planOrder(subject: Item, order: OrderSettings, world: World, dialect: Dialect): ReservationPlan {
  const { name, pod } = order
  const { cluster } = world.options
  const owner = ownerName('Order', name)
  const earlier = world.earlier([owner], order.namespace).items.filter(({ object }) => isTicket(object))
  const start = emptyPlanned({
    subject,
    owner,
    source: subject,
    looksLikeOutput: nameTells(subject.object, world),
    earlier,
  })
  if (order.paused) {
    const { objects, tickets, findings } = keptTickets(earlier, name, order.subject)
    const nodes = tickets.map(({ node }) => node)
    const account = [PAUSED, ...accountOf({ tickets, left: [] })]
    const reservations = [{ name, tickets }]
    const ends = endFindings(order, tickets, { now: world.now, renewal: NO_RENEWAL, subject: order.subject })
    const allFindings = [...findings, ...ends, ...carriedLabelFindings(subject.object, objects)]
    return {
      planned: { ...start, objects, ...namedNodes(nodes), account, findings: allFindings },
      reservations,
      cluster,
    }
  }
  const run = orderRun(order, world, cluster)
  const { fleet, refresh, live, isLiveKnown, renewal } = run
  const { facts } = run
  const stop = (findings: Planned['findings']) => ({ planned: { ...start, facts, findings }, reservations: [] })
  if (fleet === undefined) return stop(run.findings)
  const keys = keysAt('spec.template.spec', pod)
  const before = [
    ...run.findings,
    ...notExportedFindings(fleet, keys, order.subject),
    ...notNamedFindings(fleet, ONE_BY_ONE, order.subject),
  ]
  if (run.isStopped || world.stops(before)) return stop(before)
  const { shapes } = fleet
  const { korder } = world.options
  const { now, isSeen } = world
  const state = { refresh, live, isLiveKnown, now, isSeen }
  const context = { source: subject.object, shapes, dialect, earlier, korder, ...state }
  const { plans, findings: paceFindings } = planTickets([{ order, context }], order.subject)
  const [made] = plans
  if (made === undefined) return stop(before)
  const isNone = made.nodes.length === 0 && shapes.length > 0 && !made.findings.some(isError)
  const none = isNone
    ? [finding('NoEligibleNodes', `${name}: none of the nodes is eligible`, { subject: order.subject })]
    : []
  const { objects, nodes, tickets, until } = made
  const ends = endFindings(order, tickets, { now, renewal, subject: order.subject })
  const carried = carriedLabelFindings(subject.object, objects)
  const label = labelFindings(subject, tickets, world)
  const findings = [...before, ...made.findings, ...paceFindings, ...none, ...ends, ...label, ...carried]
  const demand = [ticketDemand(name, order)]
  const account = accountOf(made)
  const planned = {
    ...{ ...start, facts, objects, ...namedNodes(nodes), demand, account, until, findings },
    ...{ answers: ticketAnswers([made], shapes), servesNone: isNone },
  }
  return { planned, reservations: [{ name, tickets }], cluster, fleet, live }
}

/** Returns what an Order requests on a new node: one guardian pod, where its placement permits it. */
export function ticketDemand(name: string, { pod }: Pick<OrderSettings, 'pod'>): Demand {
  const { nodeSelector, affinity, tolerations, resources = ORDER_DEFAULTS.template.spec.resources } = pod
  return demandOf('Ticket', name, {
    nodeSelector,
    affinity,
    tolerations,
    containers: [{ name: 'guardian', resources }],
  })
}

function accountOf({ tickets, left }: Pick<TicketsPlan, 'tickets' | 'left'>): Line[] {
  const lines = leftLines(left)
  return [{ kind: 'count', count: tickets.length, noun: 'Ticket' }, countNodes(lines, LEFT_OUT), ...lines]
}

/**
 * Reports the instance label of an Order once, if an applied object has it: a Ticket copies the labels of the Order's
 * template, the Order of a group those of the Order itself. Orders that stay local configuration are not applied, so
 * they do not count.
 */
export function carriedLabelFindings(order: KubernetesObject, rendered: readonly Rendered[]): Finding[] {
  const carrier = rendered.find(({ object }) => hasInstanceLabel(object) && !isLocalConfig(object.metadata.annotations))
  if (carrier === undefined) return []
  const { object } = carrier
  const path = isTicket(object) ? 'spec.template.metadata.labels' : 'metadata.labels'
  return instanceLabelFindings(object.metadata.labels, { name: order.metadata.name, subject: order, path })
}

/**
 * The state of an Order at the time of a run: nodes, schedule, live Tickets. It is read, and its findings reported,
 * once per Order, however many groups it has.
 */
export interface OrderRun {
  readonly fleet?: Fleet
  readonly facts: Facts
  readonly refresh: Refresh
  readonly live: readonly LiveTicket[]
  /** Whether a snapshot shows the Tickets of the cluster, be there none. */
  readonly isLiveKnown: boolean
  /** What acts on the ends of its Tickets. */
  readonly renewal: Renewal
  readonly findings: readonly Finding[]
  /** Whether findings about nodes and live Tickets stop it. */
  readonly isStopped: boolean
}

/** Reads everything that an Order's Tickets depend on, in the named cluster. */
export function orderRun(order: OrderSettings, world: World, named: string | undefined): OrderRun {
  const nodes = world.fleet(named)
  const fleet = nodes.value
  const seen: Read<Live> = fleet === undefined ? { findings: [] } : world.live(named ?? fleet.cluster)
  const live = seen.value
  const { now } = world
  const refresh = refreshAt(order, now)
  const hasLive = live?.tickets !== undefined
  const renewal = renewalOf(live, world)
  const mayRenew = renewal.isKnown && isRenewed(order)
  const findings = [
    ...habitFindings(order),
    ...clockFindings(order, now, mayRenew),
    ...earlierFindings(order, world, hasLive),
    ...paceFindings(order, world),
    ...refreshFindings(order, refresh, hasLive),
  ]
  return {
    fleet,
    facts: { fleets: [nodes], lives: [seen] },
    refresh,
    live: live?.tickets ?? [],
    isLiveKnown: hasLive,
    renewal,
    findings,
    isStopped: fleet === undefined || world.stops([...nodes.findings, ...seen.findings]),
  }
}

/**
 * Returns what acts on the ends of Tickets. A snapshot counts for the Tickets that it shows, and, unless it is stale,
 * as a sign that later runs get another one. Without earlier output nothing is renewed.
 */
function renewalOf(live: Live | undefined, { isSeen, options }: World): Renewal {
  if (!isSeen) return NO_RENEWAL
  if (options.korder.renewAfter !== undefined) return { isKnown: true, renews: () => true }
  const shown = new Set(live?.tickets?.map(({ name }) => name))
  return { isKnown: live?.tickets !== undefined && live.isStale !== true, renews: (name) => shown.has(name) }
}

/** Reports options that need the earlier Tickets in the input. */
function earlierFindings(order: OrderSettings, world: World, hasLive: boolean): Finding[] {
  if (world.isSeen) return []
  const { name, subject } = order
  const { keep, renewAfter, rollout } = world.options.korder
  const followers = [
    ...(rollout === undefined ? [] : ['spec.korder.rollout']),
    ...(keep ? ['spec.korder.keep'] : []),
    ...(renewAfter !== undefined && isRenewed(order) ? ['spec.korder.renewAfter'] : []),
    ...(hasLive && isRenewed(order) && !isRefreshedByTime(order) ? ['a WorkloadSnapshot'] : []),
  ]
  const [what] = followers
  return what === undefined
    ? []
    : [finding('NeedsEarlierOutput', `${name}: ${what} needs the earlier Tickets`, { subject })]
}

/** Reports a rollout without the time of the run; an Order with a schedule has that finding anyway. */
function paceFindings({ name, subject, schedule }: OrderSettings, { now, options }: World): Finding[] {
  if (options.korder.rollout === undefined || now !== undefined || schedule !== undefined) return []
  return [finding('NoTime', `${name}: spec.korder.rollout needs the time of the run`, { subject })]
}

function refreshFindings(
  { name, subject, schedule, strategy, refreshPolicy }: OrderSettings,
  { isOpen, fire }: Refresh,
  hasLive: boolean,
): Finding[] {
  const findings: Finding[] = []
  if (!isOpen) {
    const sentence = `${name}: schedule "${schedule?.text ?? ''}" ${fire === undefined ? 'has never fired' : `last fired at ${timeText(fire)}`}`
    findings.push(finding('WindowClosed', sentence, { subject }))
  }
  if (strategy === 'Recurring' && refreshPolicy === 'OnClaim' && !hasLive)
    findings.push(finding('LiveTicketsUnknown', `${name}: refreshPolicy OnClaim acts as Never`, { subject }))
  return findings
}
