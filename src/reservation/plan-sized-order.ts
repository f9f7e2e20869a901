import { type Finding, isError, withSubject } from '../finding/index.ts'
import { mergeNodes, namedNodes } from '../inventory/index.ts'
import { GROUP, ownerName } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { findTarget, hasSizes, rememberedAnnotations, textProblem } from '../object/index.ts'
import { isTicket, type SizingSettings } from '../policy/index.ts'
import {
  basisMark,
  choiceByName,
  groupLines,
  hysteresisFindings,
  keysOfPolicy,
  missedLines,
  nameOfGroup,
  nodesOfGroup,
  notExportedFindings,
  notNamedFindings,
  type Placement,
  placementFindings,
  placementOf,
  planSuspended,
  type SizedGroup,
  sizeGroups,
} from '../sizing/index.ts'
import {
  clusterOf,
  earlierOf,
  earliest,
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
import type { Dialect } from './order/settings.ts'
import { type SizedOrder, sizedOrder } from './order/sized-order.ts'
import { nameTells } from './order/target.ts'
import { type OrderRun, orderRun } from './order-run.ts'
import { ONE_BY_ONE, PAUSED, type ReservationPlan } from './plan-order.ts'
import { endFindings } from './ticket/ends.ts'
import { keptObject, keptTickets } from './ticket/kept.ts'
import { LEFT_OUT, leftLines } from './ticket/left-out.ts'
import { planTickets, type TicketsPlan } from './ticket/plan-tickets.ts'

/** korder names the Tickets of a plain Order by index: room for five digits and a dash. */
const INDEX = 6
const SHARES = [{ container: 'the Ticket', percent: 100 }]

/** The Order of one group. */
interface GroupOrder extends SizedGroup {
  readonly object: SizedOrder
}

/**
 * Plans an Order for each group of a policy. A plain one is applied, with as many replicas as the group has nodes, and has no
 * Tickets of ours; one in DaemonSet mode stays local configuration, and only its Tickets are applied. Never both.
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
  const start = {
    subject,
    isEnabled: settings.enabled,
    source,
    looksLikeOutput: source && nameTells(source.object, world),
    earlier,
    objects: [],
    ...namedNodes([]),
    summary: 'PolicySummary' as const,
    account: [],
  }
  const stop = (findings: readonly Finding[]) => ({ planned: { ...start, findings }, reservations: [] })
  if (!settings.enabled) return stop(earlier.length > 0 ? targetFindings : [])
  const read = source === undefined ? undefined : readOrder(source.object)
  const order = read?.value
  if (source === undefined || order === undefined) return stop([...targetFindings, ...(read?.findings ?? [])])
  const isDaemon = isDaemonOrder(source.object)
  const cluster = settings.cluster ?? world.options.cluster
  if (isDaemon && order.paused) {
    const { objects, tickets, findings } = keptTickets(earlier, settings.baseName, settings.subject)
    const nodes = mergeNodes(objects)
    const account: Line[] = [PAUSED, { kind: 'count', count: nodes.nodeCount, noun: 'Ticket' }]
    const reservations = [{ name: order.name, tickets }]
    const carried = carriedLabelFindings(source.object, objects)
    const ends = endFindings(order, tickets, { now: world.now, isRenewed: false, subject: settings.subject })
    return {
      planned: { ...start, objects, ...nodes, account, findings: [...findings, ...ends, ...carried] },
      reservations,
      cluster,
    }
  }
  const placement = placementOf(order.pod, settings)
  const run = isDaemon ? orderRun({ ...order, subject: settings.subject }, world, cluster) : undefined
  const { value: fleet, findings: fleetFindings } = world.fleet(cluster)
  const byName = isDaemon ? ONE_BY_ONE : choiceByName(order.pod, placement)
  const before = [
    ...(run?.findings ?? []),
    ...textFindings(source),
    ...placementFindings(order.pod, placement, settings, world.options.cluster),
    ...(fleet === undefined ? [] : notExportedFindings(fleet, keysOfPolicy(placement, settings), settings.subject)),
    ...hysteresisFindings(settings, world.isSeen && (own.length === 0 || own.some(isOfGroup))),
    ...(fleet === undefined ? [] : notNamedFindings(fleet, byName, settings.subject)),
  ]
  if (fleet === undefined || run?.isStopped || world.stops([...before, ...fleetFindings])) return stop(before)
  const naming = { target: settings.baseName, suffix: '', reserve: isDaemon ? 0 : INDEX }
  const sized = sizeGroups({ fleet, placement, settings, shares: SHARES, earlier, naming })
  const present = indexBy(earlier, ({ object }) => object.metadata.name)
  const clusterName = clusterOf(fleet, settings, world)
  const orders = sized.groups.map((group) => {
    const before = present.get(group.name.name)?.[0]?.object
    const nodes = isDaemon ? undefined : nodesOfGroup(group.group).nodeCount
    const memory = world.isSeen ? rememberedAnnotations({ nodes, cluster: clusterName }, before) : undefined
    return { ...group, object: orderOf(group, source, placement, settings, memory) }
  })
  const tickets =
    run === undefined ? { plans: [], findings: [] } : ticketsOf(orders, settings, earlier, run, world, dialect)
  const { plans } = tickets
  const made = plans.flatMap((one) => one.tickets)
  const file = `${settings.baseName}-groups.yaml`
  const objects = orders.map(({ object, group }): Rendered => {
    return { object, file, about: group.id, group: group.kind, ...nodesOfGroup(group) }
  })
  const left = leftLines(plans.flatMap((one) => one.left))
  const all = [...objects, ...plans.flatMap((one) => one.objects)]
  const planned: Planned = {
    ...start,
    cluster: clusterName,
    objects: all,
    ...mergeNodes(
      isDaemon ? plans.map(({ nodes }) => namedNodes(nodes)) : sized.groups.map(({ group }) => nodesOfGroup(group)),
    ),
    account: [
      // a node of a group may be left out all the same
      ...groupLines(sized.groups, isDaemon ? { kind: 'count', count: made.length, noun: 'Ticket' } : undefined),
      ...missedLines(isDaemon ? sized.without.filter(({ mayStay }) => !mayStay) : sized.without, LEFT_OUT, left),
    ],
    until: earliest(plans.map(({ until }) => until)),
    findings: withSubject(settings.subject, [
      ...before,
      ...sized.findings,
      ...emptySizeFindings(sized.groups),
      ...tickets.findings,
      ...carriedLabelFindings(source.object, all),
      ...(isDaemon && plans.length === orders.length ? noneEligibleFindings(settings, plans) : []),
      ...(run === undefined
        ? []
        : endFindings(order, made, { now: world.now, isRenewed: run.isRenewed, subject: settings.subject })),
    ]),
  }
  return {
    planned,
    reservations: plans.map((one) => ({ name: one.order.name, tickets: one.tickets })),
    cluster,
    fleet,
    live: run?.live,
  }
}

function orderOf(
  sized: SizedGroup,
  source: Item,
  placement: Placement,
  settings: SizingSettings,
  memory: Record<string, string> | undefined,
): SizedOrder {
  const { group, name, sizes } = sized
  const size = sizes[0] ?? { container: '', amounts: new Map(), printed: new Map(), raised: [] }
  const mark = memory && basisMark(sized, (before) => hasSizes(resourcesOf(before), size.printed))
  return sizedOrder(source.object, { group, name, placement, size, memory: memory && { ...memory, ...mark } }, settings)
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
  const owner = ownerName('SizingPolicy', subject.metadata.name)
  const own = indexBy(earlier, ({ object }) => object.metadata.annotations?.['korder.dev/ticket-group'])
  // a group's Order is read again as korder would read it; of one that reserves nothing that is said
  const read = orders.filter(reserves).map(({ group, object }) => ({ group, ...readOrder(object) }))
  const plans = read.flatMap(({ group, value: order }) => {
    if (order === undefined) return []
    const shapes = group.members.map(({ shape, nodes, nodeCount }) => ({ ...shape, nodes, nodeCount }))
    const { now, isSeen } = world
    const context = { shapes, dialect, owner, earlier: own.get(order.name) ?? [], korder, refresh, live, now, isSeen }
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

/** A group that is gone takes its Tickets along; all of them together must not go. */
function noneEligibleFindings({ subject }: SizingSettings, plans: readonly TicketsPlan[]): Finding[] {
  const isRead = plans.length > 0 && plans.every(({ findings }) => !findings.some(isError))
  if (!isRead || plans.some(({ nodes }) => nodes.length > 0)) return []
  return [finding('NoEligibleNodes', `${subject.metadata.name}: none of the nodes is eligible`)]
}
