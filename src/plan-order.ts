import { type Finding, finding } from './finding/index.ts'
import { seesEarlier, shrinkFindings } from './guards.ts'
import { type Fleet, isNodeSource, readFleet } from './inventory/index.ts'
import { keep, newestOf } from './kept.ts'
import { ownerName, ownerOf } from './krm/ownership.ts'
import type { Item } from './krm/types.ts'
import { isTime } from './kube/index.ts'
import { isStopped } from './plan-policy.ts'
import type { Rendered, Rendering } from './rendering.ts'
import {
  checkClock,
  checkHabits,
  type Dialect,
  GENERATION,
  isTicket,
  type LeftOut,
  type LiveTicket,
  leftOutFindings,
  NODE,
  type OrderSettings,
  readLive,
  refreshAt,
  SPEC_HASH,
  type TicketPlan,
  ticketsOf,
} from './reservation/index.ts'
import type { Scope } from './scope/index.ts'
import { placementKeys } from './sizing/index.ts'

/** What an Order in DaemonSet mode comes to; on an error its Tickets are incomplete and none may be used. */
export interface OrderPlan {
  readonly order: OrderSettings
  readonly fleet?: Fleet
  readonly tickets: readonly TicketPlan[]
  /** The nodes with a Ticket now, or that would have one if the Order's window were open. */
  readonly nodes: readonly string[]
  readonly left: readonly LeftOut[]
  readonly rendering: Rendering
  readonly findings: readonly Finding[]
}

/** Above this many Tickets an Order's go into 256 files instead of 16. */
const MANY = 2000

/** An Order that a policy sizes for one group: who owns its Tickets, and which nodes are the group's. */
export interface Sized {
  readonly owner: string
  readonly cluster?: string
  readonly nodes: ReadonlySet<string>
  /** What the policy rendered before, under former names too. */
  readonly earlier: readonly Item[]
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
  const earlier =
    sized === undefined
      ? newestOf(ticketsOwned(order, owner, scope.items), ticketsOwned(order, owner, past))
      : sized.earlier.filter((item) => isTicket(item.object) && groupOf(item) === name)
  const rendering = { subject, enabled: true, earlier, objects: [] as Rendered[] }
  const before = generationsOf(earlier)
  const plan = {
    order,
    tickets: [],
    nodes: [],
    left: [],
    rendering,
    findings: [] as Finding[],
  }
  if (order.paused) {
    const kept = keep(earlier, name, subject)
    const tickets = kept.objects.map(({ object, about }) => ({ object, node: about }))
    const nodes = tickets.map(({ node }) => node)
    return { ...plan, tickets, nodes, rendering: { ...rendering, objects: kept.objects }, findings: kept.findings }
  }
  const sources = scope.items.map(({ object }) => object)
  const read = readFleet(sources.filter(isNodeSource), sized?.cluster ?? options.cluster)
  const { fleet } = read
  const live = readLive(sources, sized?.cluster ?? options.cluster ?? fleet?.cluster)
  const now = timeOf(fleet, scope)
  const findings = [
    ...[...read.findings, ...live.findings].map((one) => ({ subject, ...one })),
    ...checkHabits(order),
    ...checkClock(order, now),
    ...needsEarlier(order, scope, past, live.tickets !== undefined),
    ...(fleet === undefined ? [] : notExported(fleet, order)),
  ]
  if (fleet === undefined || isStopped(findings, scope)) return { ...plan, fleet, findings }
  const refresh = refreshAt(order, now)
  const { pin, orderLabel } = options.korder
  const made = ticketsOf({
    order,
    fleet,
    style: { dialect, pin, orderLabel, owner },
    korder: options.korder,
    refresh,
    earlier: before,
    live: (live.tickets ?? []).map((ticket) => expiredAt(ticket, now)),
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
  if (order.strategy === 'Recurring' && order.refreshPolicy === 'OnClaim' && live.tickets === undefined)
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

/** What holds on to earlier Tickets needs to see them. */
function needsEarlier(order: OrderSettings, scope: Scope, past: readonly Item[], hasLive: boolean): Finding[] {
  if (seesEarlier(scope, past)) return []
  const { keep: isKept } = scope.options.korder
  const isRefreshed = order.strategy === 'Scheduled' || order.refreshPolicy === 'Always'
  const followsLive = hasLive && !(isRefreshed && order.strategy !== 'OneTime')
  if (!isKept && !followsLive) return []
  const what = isKept ? 'spec.korder.keep' : 'a WorkloadSnapshot'
  return [finding('NeedsEarlierOutput', `${order.name}: ${what} follows earlier Tickets`, { subject: order.subject })]
}

/** The Tickets of an Order. */
function ticketsOwned(order: OrderSettings, owner: string, items: readonly Item[]): Item[] {
  return items.filter(
    ({ object }) =>
      isTicket(object) && ownerOf(object) === owner && (object.metadata.namespace ?? '') === (order.namespace ?? ''),
  )
}

/** The Order that a Ticket was made for. */
function groupOf({ object }: Item): string | undefined {
  return object.metadata.annotations?.['korder.dev/ticket-group']
}

/** A Ticket whose time is over counts as expired, whether its controller has seen it yet or not. */
function expiredAt(ticket: LiveTicket, now: Date | undefined): LiveTicket {
  const isOver = now !== undefined && ticket.expiresAt !== undefined && ticket.expiresAt.getTime() <= now.getTime()
  return isOver && ticket.phase !== 'Claimed' ? { ...ticket, phase: 'Expired' } : ticket
}

export function generationsOf(earlier: readonly Item[]): Map<string, { generation: string; hash: string }> {
  const found = new Map<string, { generation: string; hash: string }>()
  for (const { object } of earlier) {
    const { [NODE]: node, [GENERATION]: generation = '', [SPEC_HASH]: hash = '' } = object.metadata.annotations ?? {}
    // a number here is no generation of ours, and would be written into the next Ticket as it is
    const isOurs = [node, generation, hash].every((text: unknown) => typeof text === 'string')
    if (node !== undefined && isOurs && !found.has(node)) found.set(node, { generation, hash })
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
