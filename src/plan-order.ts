import { type Finding, finding } from './finding/index.ts'
import { seesEarlier, shrinkFindings } from './guards.ts'
import { type Fleet, isNodeSource, readFleet } from './inventory/index.ts'
import { GROUP, ownerName, ownerOf } from './krm/ownership.ts'
import type { Item } from './krm/types.ts'
import { isTime } from './kube/index.ts'
import { isError } from './plan-policy.ts'
import type { Rendered, Rendering } from './rendering.ts'
import {
  checkClock,
  checkHabits,
  type Dialect,
  GENERATION,
  type LeftOut,
  leftOutFindings,
  NODE,
  type OrderSettings,
  readLive,
  refreshAt,
  SPEC_HASH,
  type TicketPlan,
  ticketsOf,
} from './reservation/index.ts'
import { type Scope, withoutWire } from './scope/index.ts'
import { placementKeys } from './sizing/index.ts'

/** What an Order in DaemonSet mode comes to; on an error its Tickets are incomplete and none may be used. */
export interface OrderPlan {
  readonly order: OrderSettings
  readonly fleet?: Fleet
  readonly tickets: readonly TicketPlan[]
  /** The nodes with a Ticket now, or that would have one if the Order's window were open, and how many had one before. */
  readonly nodes: readonly string[]
  readonly nodesBefore: number
  readonly left: readonly LeftOut[]
  readonly rendering: Rendering
  readonly findings: readonly Finding[]
}

/** Above this many Tickets an Order's go into 256 files instead of 16. */
const MANY = 2000

/** An Order that a policy sizes for one group: who owns its Tickets, and which nodes are the group's. */
export interface Sized {
  readonly owner: string
  readonly nodes: ReadonlySet<string>
}

/** Plans the Tickets of one Order; `sized` where it is a group's. */
export function planOrder(
  order: OrderSettings,
  scope: Scope,
  past: readonly Item[],
  dialect: Dialect,
  sized?: Sized,
): OrderPlan {
  const { subject, name } = order
  const { options } = scope
  const owner = sized?.owner ?? ownerName('Order', name)
  const earlier = [...ticketsOwned(order, owner, scope.items), ...ticketsOwned(order, owner, past)]
  const rendering = { subject, enabled: true, earlier, objects: [] as Rendered[] }
  const before = generationsOf(earlier)
  const plan = {
    order,
    tickets: [],
    nodes: [],
    nodesBefore: before.size,
    left: [],
    rendering,
    findings: [] as Finding[],
  }
  if (order.paused) return paused(plan)
  const sources = scope.items.map(({ object }) => object)
  const read = readFleet(sources.filter(isNodeSource), options.cluster)
  const { fleet } = read
  const live = readLive(sources, options.cluster ?? fleet?.cluster)
  const now = timeOf(fleet, scope)
  const findings = [
    ...[...read.findings, ...live.findings].map((one) => ({ subject, ...one })),
    ...checkHabits(order),
    ...checkClock(order, now),
    ...needsEarlier(order, scope, past, live.live.tickets !== undefined),
    ...(fleet === undefined ? [] : notExported(fleet, order)),
  ]
  const isStopped = () => findings.some((one) => isError(one) && !options.allow.has(one.code))
  if (fleet === undefined || isStopped()) return { ...plan, fleet, findings }
  const refresh = refreshAt(order, now)
  const { pin, orderLabel } = options.korder
  const made = ticketsOf({
    order,
    fleet,
    style: { dialect, pin, orderLabel, owner },
    korder: options.korder,
    refresh,
    earlier: before,
    live: live.live.tickets ?? [],
  })
  const left = sized === undefined ? made.left : among(made.left, sized.nodes)
  findings.push(...made.findings, ...leftOutFindings(left, order))
  if (sized === undefined && made.nodes.length === 0 && fleet.shapes.length > 0 && made.findings.length === 0)
    findings.push(finding('NoEligibleNodes', `${name}: none of the nodes is eligible`, { subject }))
  if (!refresh.isOpen)
    findings.push(
      finding(
        'WindowClosed',
        `${name}: "${order.schedule?.text ?? ''}" fired last at ${refresh.fire?.toISOString() ?? 'no time'}`,
        { subject },
      ),
    )
  if (order.strategy === 'Recurring' && order.refreshPolicy === 'OnClaim' && live.live.tickets === undefined)
    findings.push(finding('LiveTicketsUnknown', `${name}: OnClaim acts as Never`, { subject }))
  if (sized === undefined) findings.push(...shrinkFindings(order, before.size, made.nodes.length, options.guards))
  const digits = made.tickets.length > MANY ? 2 : 1
  const objects = made.tickets.map(({ object, node }) => ({
    object,
    file: `tickets-${name}-${object.metadata.name.slice(-10).slice(0, digits)}.yaml`,
    about: node,
  }))
  return {
    ...plan,
    fleet,
    tickets: made.tickets,
    nodes: made.nodes,
    left,
    rendering: { ...rendering, objects },
    findings,
  }
}

/** The nodes of a group; what its own selector leaves out is in another one. */
function among(left: readonly LeftOut[], nodes: ReadonlySet<string>): LeftOut[] {
  return left
    .map((one) => ({ ...one, nodes: one.nodes.filter((node) => nodes.has(node)) }))
    .filter((one) => one.nodes.length > 0)
}

/** A paused Order keeps what was rendered before, whatever the nodes do; without that there is nothing to keep. */
function paused(plan: OrderPlan): OrderPlan {
  const { order, rendering } = plan
  const tickets = [...new Map(rendering.earlier.map(({ object }) => [object.metadata.name, object])).values()]
  if (tickets.length === 0) {
    const field = { path: 'spec.paused', currentValue: true }
    const sentence = `${order.name} is paused, and none of its Tickets is in the input`
    return { ...plan, findings: [finding('NeedsEarlierOutput', sentence, { subject: order.subject, field })] }
  }
  const objects = tickets.map((object) => {
    const node = object.metadata.annotations?.[NODE] ?? ''
    return {
      object: withoutWire(object),
      file: `tickets-${order.name}-${object.metadata.name.slice(-10, -9)}.yaml`,
      about: node,
    }
  })
  const kept = objects.map(({ object, about }) => ({ object, node: about }))
  return { ...plan, tickets: kept, nodes: kept.map(({ node }) => node), rendering: { ...rendering, objects } }
}

/** What holds on to earlier Tickets needs to see them. */
function needsEarlier(order: OrderSettings, scope: Scope, past: readonly Item[], hasLive: boolean): Finding[] {
  if (seesEarlier(scope, past)) return []
  const { keep } = scope.options.korder
  const isOnClaim = hasLive && order.strategy === 'Recurring' && order.refreshPolicy === 'OnClaim'
  if (!keep && !isOnClaim) return []
  const what = keep ? 'spec.korder.keep' : 'refreshPolicy OnClaim'
  return [finding('NeedsEarlierOutput', `${order.name}: ${what} follows earlier Tickets`, { subject: order.subject })]
}

/** Tickets of the owner; those of a policy that sizes Orders are told apart by the Order's name. */
function ticketsOwned(order: OrderSettings, owner: string, items: readonly Item[]): Item[] {
  return items.filter(
    ({ object }) =>
      object.kind === 'Ticket' &&
      ownerOf(object) === owner &&
      (object.metadata.namespace ?? '') === (order.namespace ?? '') &&
      object.metadata.annotations?.[GROUP] === undefined &&
      (owner === ownerName('Order', order.name) ||
        object.metadata.annotations?.['korder.dev/ticket-group'] === order.name),
  )
}

function generationsOf(earlier: readonly Item[]): Map<string, { generation: string; hash: string }> {
  const found = new Map<string, { generation: string; hash: string }>()
  for (const { object } of earlier) {
    const { [NODE]: node, [GENERATION]: generation = '', [SPEC_HASH]: hash = '' } = object.metadata.annotations ?? {}
    if (node !== undefined && !found.has(node)) found.set(node, { generation, hash })
  }
  return found
}

/** The time of the run: what it says itself, else the newest inventory's. */
function timeOf(fleet: Fleet | undefined, { options }: Scope): Date | undefined {
  const observed = fleet?.observedAt
  return options.now ?? (observed !== undefined && isTime(observed) ? new Date(observed) : undefined)
}

function notExported(fleet: Fleet, { pod, name, subject }: OrderSettings): Finding[] {
  const placement = {
    nodeSelector: pod.nodeSelector ?? {},
    affinity: pod.affinity,
    tolerations: [],
    hostNetwork: false,
  }
  return [...new Set(placementKeys(placement))]
    .filter((key) => !fleet.knows(key))
    .sort()
    .map((key) =>
      finding(
        'LabelNotExported',
        `${name} refers to the label ${key}, which the inventory of ${fleet.cluster} did not export (nodefit inventory --label ${key})`,
        { subject },
      ),
    )
}
