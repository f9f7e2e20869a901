import { type Finding, isError } from '../finding/index.ts'
import { mergeNodes, namedNodes } from '../inventory/index.ts'
import { GROUP, ownerName } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { findTarget, hasSizes, textProblem } from '../object/index.ts'
import { isTicket, type SizingSettings } from '../policy/index.ts'
import {
  basisMark,
  type GroupContext,
  nameOfGroup,
  nodesOfGroup,
  type Placement,
  planGroups,
  planSuspended,
  type RenderedGroups,
  type SizedGroup,
} from '../sizing/index.ts'
import {
  type Demand,
  earlierOf,
  earliest,
  emptyPlanned,
  indexBy,
  type Line,
  type Planned,
  type Rendered,
  type World,
} from '../world/index.ts'
import { finding } from './codes.ts'
import { carriedLabelFindings } from './instance-label.ts'
import { invalid } from './order/problem.ts'
import { isDaemonOrder, readOrder } from './order/read-order.ts'
import type { Dialect, OrderSettings } from './order/settings.ts'
import { type SizedOrder, sizedOrder } from './order/sized-order.ts'
import { nameTells } from './order/target.ts'
import { type OrderRun, orderRun } from './order-run.ts'
import { ONE_BY_ONE, PAUSED, type ReservationPlan, ticketDemand } from './plan-order.ts'
import { endFindings } from './ticket/ends.ts'
import { keptObject, keptTickets } from './ticket/kept.ts'
import { LEFT_OUT, leftLines } from './ticket/left-out.ts'
import { planTickets, type TicketsPlan } from './ticket/plan-tickets.ts'
import { TICKET_GROUP } from './ticket/ticket.ts'

/** korder names the Tickets of a plain Order by index: room for five digits and a dash. */
const INDEX = 6
const SHARES = [{ container: 'the Ticket', percent: 100 }]

/** The Order of one group. */
interface GroupOrder extends SizedGroup {
  readonly object: SizedOrder
}

/**
 * Plans an Order for each group of a policy. A plain one is applied, with as many replicas as the group has nodes, and
 * has no Tickets of ours; one in DaemonSet mode stays local configuration, and only its Tickets are applied. Never
 * both.
 */
export function planSizedOrder(
  subject: Item,
  settings: SizingSettings,
  world: World,
  dialect: Dialect,
): ReservationPlan {
  const { target } = settings
  if (settings.suspended) {
    const keep = (object: KubernetesObject) => keptObject(object, settings.baseName)
    return { planned: planSuspended(subject, settings, world, keep), reservations: [] }
  }
  const { value: source, findings: targetFindings } = findTarget(world.named(target), world.items, settings)
  const own = earlierOf(settings, source?.object, world)
  const earlier = [...own, ...takenOver(settings, source, world)]
  const start = emptyPlanned({
    subject,
    isEnabled: settings.enabled,
    source,
    looksLikeOutput: source && nameTells(source.object, world),
    partOf: orderOfTicket,
    earlier,
  })
  const stop = (findings: readonly Finding[]) => ({ planned: { ...start, findings }, reservations: [] })
  if (!settings.enabled) return stop(earlier.length > 0 ? targetFindings : [])
  const read = source === undefined ? undefined : readOrder(source.object)
  const order = read?.value
  if (source === undefined || order === undefined) return stop([...targetFindings, ...(read?.findings ?? [])])
  const isDaemon = isDaemonOrder(source.object)
  if (isDaemon && order.paused) return pausedPlan(start, order, source, settings, world)
  const cluster = settings.cluster ?? world.options.cluster
  const run = isDaemon ? orderRun({ ...order, subject: settings.subject }, world, cluster) : undefined
  let plans: readonly TicketsPlan[] = []
  const { planned, fleet } = planGroups({
    settings,
    world,
    start,
    pod: order.pod,
    findings: [...(run?.findings ?? []), ...textFindings(source)],
    naming: { target: settings.baseName, suffix: '', reserve: isDaemon ? 0 : INDEX },
    shares: SHARES,
    showsBasis: world.isSeen && (own.length === 0 || own.some(isOfGroup)),
    whyNames: isDaemon ? ONE_BY_ONE : undefined,
    isStopped: run?.isStopped,
    render: (context) => {
      const orders = groupOrders(context, source, settings, world)
      if (run === undefined) return renderedOrders(orders, context, settings, source)
      const tickets = ticketsOf(orders, settings, earlier, run, world, dialect)
      plans = tickets.plans
      const rendered = renderedTickets(orders, tickets, context, settings, source)
      const made = plans.flatMap((one) => one.tickets)
      const ends = endFindings(order, made, { now: world.now, isRenewed: run.isRenewed, subject: settings.subject })
      return { ...rendered, findings: [...rendered.findings, ...ends] }
    },
  })
  const reservations = plans.map((one) => ({ name: one.order.name, tickets: one.tickets }))
  return { planned, reservations, cluster, fleet, live: run?.live }
}

/** The Tickets of a paused Order stay as they are. */
function pausedPlan(
  start: Planned,
  order: OrderSettings,
  source: Item,
  settings: SizingSettings,
  world: World,
): ReservationPlan {
  const { subject } = settings
  const { objects, tickets, findings } = keptTickets(start.earlier, settings.baseName, subject)
  const nodes = mergeNodes(objects)
  const account: Line[] = [PAUSED, { kind: 'count', count: nodes.nodeCount, noun: 'Ticket' }]
  const carried = carriedLabelFindings(source.object, objects)
  const ends = endFindings(order, tickets, { now: world.now, isRenewed: false, subject })
  const planned = { ...start, objects, ...nodes, account, findings: [...findings, ...ends, ...carried] }
  const cluster = settings.cluster ?? world.options.cluster
  return { planned, reservations: [{ name: order.name, tickets }], cluster }
}

/** The Order of each group. */
function groupOrders(
  { groups, placement }: GroupContext,
  source: Item,
  settings: SizingSettings,
  { isSeen }: World,
): GroupOrder[] {
  return groups.map((group) => ({ ...group, object: orderOf(group, source, placement, settings, isSeen) }))
}

function renderedOf({ object, group }: GroupOrder, { baseName }: SizingSettings): Rendered {
  const { id, kind } = group
  return { object, file: `${baseName}-groups.yaml`, about: id, group: { id, kind }, ...nodesOfGroup(group) }
}

/** Plain Orders: each is applied, and korder makes its Tickets. */
function renderedOrders(
  orders: readonly GroupOrder[],
  { without }: GroupContext,
  settings: SizingSettings,
  source: Item,
): RenderedGroups {
  const objects = orders.map((order) => renderedOf(order, settings))
  return {
    objects,
    ...mergeNodes(orders.map(({ group }) => nodesOfGroup(group))),
    demand: demandsOf(orders),
    missed: { words: LEFT_OUT, without },
    findings: [...emptySizeFindings(orders), ...carriedLabelFindings(source.object, objects)],
  }
}

/** Orders in DaemonSet mode with their Tickets: a node of a group may be left out all the same. */
function renderedTickets(
  orders: readonly GroupOrder[],
  { plans, findings }: { plans: readonly TicketsPlan[]; findings: readonly Finding[] },
  { without }: GroupContext,
  settings: SizingSettings,
  source: Item,
): RenderedGroups {
  const objects = [...orders.map((order) => renderedOf(order, settings)), ...plans.flatMap((one) => one.objects)]
  const isRead = plans.length === orders.length
  return {
    objects,
    ...mergeNodes(plans.map(({ nodes }) => namedNodes(nodes))),
    until: earliest(plans.map(({ until }) => until)),
    demand: demandsOf(orders),
    served: { kind: 'count', count: plans.reduce((sum, { tickets }) => sum + tickets.length, 0), noun: 'Ticket' },
    missed: {
      words: LEFT_OUT,
      without: without.filter(({ mayStay }) => !mayStay),
      lines: leftLines(plans.flatMap((one) => one.left)),
    },
    findings: [
      ...emptySizeFindings(orders),
      ...findings,
      ...carriedLabelFindings(source.object, objects),
      ...(isRead ? noneEligibleFindings(settings, plans) : []),
    ],
  }
}

/** A Ticket on each new node of a group, where the group's Order reserves anything. */
function demandsOf(orders: readonly GroupOrder[]): Demand[] {
  return orders.filter(reserves).map(({ object, name }) => ticketDemand(name.name, { pod: object.spec.template.spec }))
}

/** The Order that a Ticket was made for. */
function orderOfTicket(object: KubernetesObject): string | undefined {
  return isTicket(object) ? object.metadata.annotations?.[TICKET_GROUP] : undefined
}

function orderOf(
  sized: SizedGroup,
  source: Item,
  placement: Placement,
  settings: SizingSettings,
  isSeen: boolean,
): SizedOrder {
  const { group, name, sizes } = sized
  const size = sizes[0] ?? { container: '', amounts: new Map(), printed: new Map(), raised: [] }
  const memory = isSeen ? basisMark(sized, (before) => hasSizes(resourcesOf(before), size.printed)) : undefined
  return sizedOrder(source.object, { group, name, placement, size, memory }, settings)
}

/** The resources of an Order that was rendered before, whatever a user made of it. */
function resourcesOf({ spec }: KubernetesObject): unknown {
  return (spec as { template?: { spec?: { resources?: unknown } | null } | null } | null | undefined)?.template?.spec
    ?.resources
}

/** Whether an object shows what its group was sized by; a stream of manifests has the Tickets of an Order alone. */
function isOfGroup({ object }: Item): boolean {
  return object.metadata.annotations?.[GROUP] !== undefined
}

/** What is copied into every group's Order must be what the API server takes. */
function textFindings({ object }: Item): Finding[] {
  const wrong = textProblem(object)
  return wrong === undefined ? [] : [invalid(object, wrong.path, wrong.sentence, wrong.value)]
}

/** The Tickets that the Order itself had before the policy sized it: they give way to those of its groups. */
function takenOver({ enabled }: SizingSettings, source: Item | undefined, world: World): Item[] {
  if (!enabled || source === undefined) return []
  const { name, namespace } = source.object.metadata
  return world.earlier([ownerName('Order', name)], namespace).items.filter(({ object }) => isTicket(object))
}

/** The Tickets of each group's Order, on the nodes of the group. */
function ticketsOf(
  orders: readonly GroupOrder[],
  settings: SizingSettings,
  earlier: readonly Item[],
  { refresh, live }: OrderRun,
  world: World,
  dialect: Dialect,
): { plans: TicketsPlan[]; findings: Finding[] } {
  const { subject } = settings
  const { korder } = world.options
  const own = indexBy(earlier, ({ object }) => object.metadata.annotations?.[TICKET_GROUP])
  // a group's Order is read again as korder would read it; of one that reserves nothing that is said
  const read = orders.filter(reserves).map(({ group, object }) => ({ group, ...readOrder(object) }))
  const plans = read.flatMap(({ group, value: order }) => {
    if (order === undefined) return []
    const shapes = group.members.map(({ shape, nodes, nodeCount }) => ({ ...shape, nodes, nodeCount }))
    const { now, isSeen } = world
    const context = { shapes, dialect, earlier: own.get(order.name) ?? [], korder, refresh, live, now, isSeen }
    return [planTickets({ ...order, subject }, context)]
  })
  return { plans, findings: [...read, ...plans].flatMap(({ findings }) => findings) }
}

/** Whether every amount of a group is more than nothing, and there is one. */
function reserves({ sizes }: SizedGroup): boolean {
  return sizes.every(({ printed, amounts }) => printed.size > 0 && [...amounts.values()].every((steps) => steps > 0n))
}

/** A policy without percentages sizes nothing, and what an Order does not ask for it does not reserve. */
function emptySizeFindings(groups: readonly SizedGroup[]): Finding[] {
  return groups
    .filter(({ sizes }) => sizes.every(({ printed }) => printed.size === 0))
    .map(({ group }) => finding('SizeZero', `${nameOfGroup(group)}: no percentage is set, so nothing is reserved`))
}

/** A group that is gone takes its Tickets along; all of them mergeNodes must not go. */
function noneEligibleFindings({ subject }: SizingSettings, plans: readonly TicketsPlan[]): Finding[] {
  const isRead = plans.length > 0 && plans.every(({ findings }) => !findings.some(isError))
  if (!isRead || plans.some(({ nodes }) => nodes.length > 0)) return []
  return [finding('NoEligibleNodes', `${subject.metadata.name}: none of the nodes is eligible`)]
}
