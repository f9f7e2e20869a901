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
} from '../../core/index.ts'
import { findTarget, hasSizes, textProblem } from '../../core/object/index.ts'
import { mergeNodes, namedNodes } from '../../facts/inventory/index.ts'
import { isTicket, type SizingSettings } from '../../kinds/index.ts'
import { type Finding, isError, plural, type Subject } from '../../krm/finding.ts'
import { isLocalConfig } from '../../krm/identity.ts'
import { isDeepEqual, isMap } from '../../krm/map.ts'
import { markedGroup, NOT_APPLIED, ownerName } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
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
import { finding } from './codes.ts'
import { invalid } from './order/check-order.ts'
import { type Dialect, isDaemonOrder, type OrderSettings, readOrder } from './order/read-order.ts'
import { type SizedOrder, sizedOrder } from './order/sized-order.ts'
import { nameTells } from './order/target.ts'
import {
  carriedLabelFindings,
  ONE_BY_ONE,
  type OrderRun,
  orderRun,
  PAUSED,
  type ReservationPlan,
  ticketDemand,
} from './plan-order.ts'
import { keptObject, keptTickets } from './ticket/earlier-tickets.ts'
import { LEFT_OUT, leftLines } from './ticket/eligibility.ts'
import { endFindings, NO_RENEWAL } from './ticket/end.ts'
import { type PlannedTickets, planTickets, type TicketsPlan, ticketAnswers } from './ticket/plan-tickets.ts'
import { TICKET_GROUP } from './ticket/ticket.ts'

/** How many characters korder appends to name the Tickets of a plain Order: a dash and up to five digits. */
const INDEX = 6
const TICKET = 'the Ticket'
const SHARES = [{ container: TICKET, percent: 100 }]

/**
 * Plans an Order for each group of a policy. A plain Order is applied with as many replicas as the group has nodes, and
 * korder creates its Tickets. An Order in DaemonSet mode stays local configuration, and only its Tickets are applied.
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
  const ofPolicy = earlierOf(settings, source?.object, world)
  const earlier = [...ofPolicy, ...takenOver(settings, source, world)]
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
    sized: { containers: [{ name: TICKET, resources: order.pod.resources }] },
    findings: [...(run?.findings ?? []), ...textFindings(source)],
    naming: { target: settings.baseName, suffix: '', reserve: isDaemon ? 0 : INDEX },
    shares: SHARES,
    showsBasis: world.isSeen && (ofPolicy.length === 0 || ofPolicy.some(isOfGroup)),
    whyNames: isDaemon ? ONE_BY_ONE : undefined,
    isStopped: run?.isStopped,
    render: (context) => {
      const orders = groupOrders(context, source, settings, world)
      if (run === undefined) return renderedOrders(orders, context, settings, source, earlier)
      const tickets = ticketsOf(orders, settings, earlier, run, world, dialect, source.object)
      plans = tickets.plans
      const rendered = renderedTickets(orders, tickets, context, settings, source)
      const made = plans.flatMap((one) => one.tickets)
      const ends = endFindings(order, made, { now: world.now, renewal: run.renewal, subject: settings.subject })
      return { ...rendered, findings: [...rendered.findings, ...ends] }
    },
  })
  const reservations = plans.map((one) => ({ name: one.order.name, tickets: one.tickets }))
  const lives = [...(planned.facts?.lives ?? []), ...(run?.facts.lives ?? [])]
  const from = { ...planned, facts: { ...planned.facts, lives } }
  const answered = plans.length === 0 ? from : { ...from, answers: ticketAnswers(plans, fleet?.shapes ?? []) }
  return { planned: answered, reservations, cluster, fleet, live: run?.live }
}

/** Plans a paused Order: its Tickets are kept unchanged. */
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
  const ends = endFindings(order, tickets, { now: world.now, renewal: NO_RENEWAL, subject })
  const planned = { ...start, objects, ...nodes, account, findings: [...findings, ...ends, ...carried] }
  const cluster = settings.cluster ?? world.options.cluster
  return { planned, reservations: [{ name: order.name, tickets }], cluster }
}

/** Returns the name of the Order that a Ticket was made for; undefined for any other object. */
function orderOfTicket(object: KubernetesObject): string | undefined {
  return isTicket(object) ? object.metadata.annotations?.[TICKET_GROUP] : undefined
}

/**
 * Whether an object records the group it was sized for; a stream of manifests may have only the Tickets of an Order.
 */
function isOfGroup({ object }: Item): boolean {
  return markedGroup(object) !== undefined
}

/** Reports text that the API server rejects, since it is copied into the Order of every group. */
function textFindings({ object }: Item): Finding[] {
  const { [NOT_APPLIED]: _, ...annotations } = object.metadata.annotations ?? {}
  const wrong = textProblem({ ...object, metadata: { ...object.metadata, annotations } })
  return wrong === undefined ? [] : [invalid(object, wrong.path, wrong.sentence, wrong.value)]
}

/** Returns the Tickets that the Order had before the policy sized it; those of its groups replace them. */
function takenOver({ enabled }: SizingSettings, source: Item | undefined, world: World): Item[] {
  if (!enabled || source === undefined) return []
  const { name, namespace } = source.object.metadata
  return world.earlier([ownerName('Order', name)], namespace).items.filter(({ object }) => isTicket(object))
}

/** A group with its Order. */
interface GroupOrder extends SizedGroup {
  readonly object: SizedOrder
}

/** Returns each group with its Order. */
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

/** Renders plain Orders: they are applied, and korder creates their Tickets. */
function renderedOrders(
  orders: readonly GroupOrder[],
  { without }: GroupContext,
  settings: SizingSettings,
  source: Item,
  earlier: readonly Item[],
): RenderedGroups {
  const objects = orders.map((order) => renderedOf(order, settings))
  const live = new Map(earlier.map(({ object }) => [object.metadata.name, object]))
  return {
    objects,
    ...mergeNodes(orders.map(({ group }) => nodesOfGroup(group))),
    demand: demandsOf(orders),
    missed: { words: LEFT_OUT, without },
    findings: [
      ...emptySizeFindings(orders),
      ...carriedLabelFindings(source.object, objects),
      ...orders.flatMap(({ object }) => keptTicketFindings(live.get(object.metadata.name), object, settings)),
    ],
  }
}

/**
 * Reports a plain Order whose size or replicas change. korder creates Tickets from an Order and never changes one, and
 * its first versions delete none when there are too many.
 */
function keptTicketFindings(
  before: KubernetesObject | undefined,
  after: SizedOrder,
  settings: SizingSettings,
): Finding[] {
  if (before === undefined || before.kind !== 'Order' || isLocalConfig(before.metadata.annotations)) return []
  const replicasOf = ({ spec }: KubernetesObject) => {
    const { replicas = 1 } = (spec ?? {}) as { replicas?: unknown }
    return typeof replicas === 'number' ? replicas : 1
  }
  const [had, has] = [replicasOf(before), replicasOf(after)]
  const isOther = !isDeepEqual(resourcesOf(before), after.spec.template.spec.resources)
  const parts = [
    ...(isOther ? [`those that it has made keep ${sizeText(before)}, new ones have ${sizeText(after)}`] : []),
    ...(has < had ? [`it deletes none of ${had} for ${plural(has, 'replica')}`] : []),
  ]
  if (parts.length === 0) return []
  const { name, namespace } = after.metadata
  const command = `kubectl ${namespace === undefined ? '' : `-n ${namespace} `}delete order ${name}`
  const sentence = `${settings.subject.metadata.name}: korder changes no Ticket of Order ${name}: ${parts.join('; ')}; ${command} and apply it again for new ones`
  return [finding('OrderKeepsTickets', sentence, { subject: settings.subject, field: { path: 'spec.targetRef' } })]
}

function sizeText(order: KubernetesObject): string {
  const { requests } = (resourcesOf(order) ?? {}) as { requests?: unknown }
  const given = isMap(requests) ? Object.entries(requests) : []
  // what the user made of an earlier Order need not be amounts
  const amounts = given.map(([name, amount]) => `${name} ${isMap(amount) ? 'of no amount' : String(amount)}`)
  return amounts.length === 0 ? 'no requests' : amounts.join(', ')
}

/** Renders Orders in DaemonSet mode with their Tickets; a node of a group that is not eligible gets none. */
function renderedTickets(
  orders: readonly GroupOrder[],
  { plans, findings }: { plans: readonly TicketsPlan[]; findings: readonly Finding[] },
  { without }: GroupContext,
  settings: SizingSettings,
  source: Item,
): RenderedGroups {
  const objects = [...orders.map((order) => renderedOf(order, settings)), ...plans.flatMap((one) => one.objects)]
  const isRead = plans.length === orders.length
  const none = isRead ? noneEligibleFindings(settings, plans) : []
  return {
    objects,
    servesNone: none.length > 0,
    ...mergeNodes(plans.map(({ nodes }) => namedNodes(nodes))),
    until: earliest(plans.map(({ until }) => until)),
    demand: demandsOf(orders),
    served: { kind: 'count', count: plans.reduce((sum, { tickets }) => sum + tickets.length, 0), noun: 'Ticket' },
    missed: {
      words: LEFT_OUT,
      without: without.filter(({ mayStay }) => !mayStay),
      lines: leftLines(plans.flatMap((one) => one.left)),
    },
    findings: [...emptySizeFindings(orders), ...findings, ...carriedLabelFindings(source.object, objects), ...none],
  }
}

/** Returns the demand of each group on a new node: one Ticket. Omits groups whose Order reserves nothing. */
function demandsOf(orders: readonly GroupOrder[]): Demand[] {
  return orders.filter(reserves).map(({ object, name }) => ticketDemand(name.name, { pod: object.spec.template.spec }))
}

/** Plans the Tickets of each group's Order, on the nodes of the group. */
function ticketsOf(
  orders: readonly GroupOrder[],
  settings: SizingSettings,
  earlier: readonly Item[],
  { refresh, live, isLiveKnown }: OrderRun,
  world: World,
  dialect: Dialect,
  source: Subject,
): PlannedTickets {
  const { subject } = settings
  const { korder } = world.options
  const byOrder = indexBy(earlier, ({ object }) => object.metadata.annotations?.[TICKET_GROUP])
  // reads the Order of a group as korder would; SizeZero reports one that reserves nothing
  const read = orders.filter(reserves).map(({ group, object }) => ({ group, ...readOrder(object) }))
  const asked = read.flatMap(({ group, value: order }) => {
    if (order === undefined) return []
    const shapes = group.members.map(({ shape, nodes, nodeCount }) => ({ ...shape, nodes, nodeCount }))
    const { now, isSeen } = world
    const ofGroup = byOrder.get(order.name) ?? []
    const state = { refresh, live, isLiveKnown, now, isSeen }
    const context = { source, shapes, dialect, earlier: ofGroup, korder, ...state }
    return [{ order: { ...order, subject }, context }]
  })
  const { plans, findings } = planTickets(asked, subject)
  return { plans, findings: [...[...read, ...plans].flatMap((one) => one.findings), ...findings] }
}

/** Whether a group has amounts, all of them above zero. */
function reserves({ sizes }: SizedGroup): boolean {
  return sizes.every(({ printed, amounts }) => printed.size > 0 && [...amounts.values()].every((steps) => steps > 0n))
}

/** Reports groups for which no percentage is set: without requests an Order reserves nothing. */
function emptySizeFindings(groups: readonly SizedGroup[]): Finding[] {
  return groups
    .filter(({ sizes }) => sizes.every(({ printed }) => printed.size === 0))
    .map(({ group }) => finding('SizeZero', `${nameOfGroup(group)}: no percentage is set, so nothing is reserved`))
}

/** Reports a policy for which no node is eligible: all its Tickets would be removed at once. */
function noneEligibleFindings({ subject }: SizingSettings, plans: readonly TicketsPlan[]): Finding[] {
  const isRead = plans.length > 0 && plans.every(({ findings }) => !findings.some(isError))
  if (!isRead || plans.some(({ nodes }) => nodes.length > 0)) return []
  return [finding('NoEligibleNodes', `${subject.metadata.name}: none of the nodes is eligible`)]
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

/** Returns the resources of an earlier Order as they are; a user may have edited them. */
function resourcesOf({ spec }: KubernetesObject): unknown {
  return (spec as { template?: { spec?: { resources?: unknown } | null } | null } | null | undefined)?.template?.spec
    ?.resources
}
