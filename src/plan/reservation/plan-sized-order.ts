import { earlierOf, emptyPlanned, type Line, type Planned, type World } from '../../core/index.ts'
import { findTarget, textProblem } from '../../core/object/index.ts'
import { mergeNodes } from '../../facts/inventory/index.ts'
import { isTicket, type SizingSettings } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { markedGroup, NOT_APPLIED, ownerName } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { planGroups, planSuspended } from '../sizing/index.ts'
import { invalid } from './order/problem.ts'
import type { Dialect, OrderSettings } from './order/read-order.ts'
import { isDaemonOrder, readOrder } from './order/read-order.ts'
import { nameTells } from './order/target.ts'
import { orderRun } from './order-run.ts'
import { carriedLabelFindings, ONE_BY_ONE, PAUSED, type ReservationPlan } from './plan-order.ts'
import { groupOrders, renderedOrders, renderedTickets, ticketsOf } from './render-orders.ts'
import { keptObject, keptTickets } from './ticket/earlier-tickets.ts'
import { endFindings, NO_RENEWAL } from './ticket/end.ts'
import { ticketAnswers } from './ticket/node-answers.ts'
import type { TicketsPlan } from './ticket/plan-tickets.ts'
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
