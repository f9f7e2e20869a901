import type { Finding, Read } from '../finding/index.ts'
import type { Fleet, Live, LiveTicket } from '../inventory/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'
import { clockFindings, habitFindings } from './order/advice.ts'
import type { OrderSettings } from './order/settings.ts'
import { type Refresh, refreshAt } from './ticket/generation.ts'

/** An Order at the time of a run: its nodes, the state of its schedule and what lives of it; said once, however many groups it has. */
export interface OrderRun {
  readonly fleet?: Fleet
  readonly refresh: Refresh
  readonly live: readonly LiveTicket[]
  readonly findings: readonly Finding[]
  /** Whether the world's own findings about nodes and live Tickets stop it. */
  readonly isStopped: boolean
}

/** Looks at everything that an Order's Tickets depend on, of the cluster that is meant. */
export function orderRun(order: OrderSettings, world: World, named: string | undefined): OrderRun {
  const { value: fleet, findings: fleetFindings } = world.fleet(named)
  const { value: live, findings: liveFindings }: Read<Live> =
    fleet === undefined ? { findings: [] } : world.live(named ?? fleet.cluster)
  const { now } = world
  const refresh = refreshAt(order, now)
  const findings = [
    ...habitFindings(order),
    ...clockFindings(order, now),
    ...earlierFindings(order, world, live?.tickets !== undefined),
    ...refreshFindings(order, refresh, live?.tickets !== undefined),
  ]
  return {
    fleet,
    refresh,
    live: (live?.tickets ?? []).map((ticket) => expiredAt(ticket, now)),
    findings,
    isStopped: fleet === undefined || world.stops([...fleetFindings, ...liveFindings]),
  }
}

/** What holds on to earlier Tickets needs to see them. */
function earlierFindings({ name, subject, ...order }: OrderSettings, world: World, hasLive: boolean): Finding[] {
  if (world.isSeen) return []
  const { keep: isKept } = world.options.korder
  const isRefreshed = order.strategy === 'Scheduled' || order.refreshPolicy === 'Always'
  const followsLive = hasLive && !(isRefreshed && order.strategy !== 'OneTime')
  if (!isKept && !followsLive) return []
  const what = isKept ? 'spec.korder.keep' : 'a WorkloadSnapshot'
  return [finding('NeedsEarlierOutput', `${name}: ${what} follows earlier Tickets`, { subject })]
}

function refreshFindings(
  { name, subject, schedule, strategy, refreshPolicy }: OrderSettings,
  { isOpen, fire }: Refresh,
  hasLive: boolean,
): Finding[] {
  const findings: Finding[] = []
  if (!isOpen) {
    const sentence = `${name}: "${schedule?.text ?? ''}" fired last at ${fire?.toISOString() ?? 'no time'}`
    findings.push(finding('WindowClosed', sentence, { subject }))
  }
  if (strategy === 'Recurring' && refreshPolicy === 'OnClaim' && !hasLive)
    findings.push(finding('LiveTicketsUnknown', `${name}: OnClaim acts as Never`, { subject }))
  return findings
}

/** A Ticket whose time is over counts as expired, whether its controller has seen it yet or not. */
function expiredAt(ticket: LiveTicket, now: Date | undefined): LiveTicket {
  const isOver = now !== undefined && ticket.expiresAt !== undefined && ticket.expiresAt.getTime() <= now.getTime()
  return isOver && ticket.phase !== 'Claimed' ? { ...ticket, phase: 'Expired' } : ticket
}
