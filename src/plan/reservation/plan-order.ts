import {
  countNodes,
  type Demand,
  demandOf,
  emptyPlanned,
  type Line,
  type Planned,
  type Rendered,
  type World,
} from '../../core/index.ts'
import { hasInstanceLabel, instanceLabelFindings } from '../../core/object/index.ts'
import { type Fleet, type LiveTicket, namedNodes } from '../../facts/inventory/index.ts'
import { isTicket, ORDER_DEFAULTS } from '../../kinds/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import { type Finding, isError } from '../../krm/finding/index.ts'
import { ownerName } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { keysAt, notExportedFindings, notNamedFindings } from '../sizing/index.ts'
import type { Reservation } from './check/capacity.ts'
import { finding } from './codes.ts'
import type { Dialect, OrderSettings } from './order/read-order.ts'
import { nameTells } from './order/target.ts'
import { orderRun } from './order-run.ts'
import { keptTickets, labelFindings } from './ticket/earlier-tickets.ts'
import { endFindings, NO_RENEWAL } from './ticket/end.ts'
import { LEFT_OUT, leftLines } from './ticket/left-out.ts'
import { ticketAnswers } from './ticket/node-answers.ts'
import { planTickets, type TicketsPlan } from './ticket/plan-tickets.ts'

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
