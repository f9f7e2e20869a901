import type { Finding, Read } from '../finding/index.ts'
import type { Fleet, Live, LiveTicket } from '../inventory/index.ts'
import { timeText } from '../kube/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'
import { clockFindings, habitFindings } from './order/advice.ts'
import type { OrderSettings } from './order/read-order.ts'
import { isRenewed } from './ticket/end.ts'
import { isRefreshedByTime, type Refresh, refreshAt } from './ticket/generation.ts'

/**
 * The state of an Order at the time of a run: nodes, schedule, live Tickets. It is read, and its findings reported,
 * once per Order, however many groups it has.
 */
export interface OrderRun {
  readonly fleet?: Fleet
  readonly refresh: Refresh
  readonly live: readonly LiveTicket[]
  /** Whether its Tickets are renewed when they have ended. */
  readonly isRenewed: boolean
  readonly findings: readonly Finding[]
  /** Whether findings about nodes and live Tickets stop it. */
  readonly isStopped: boolean
}

/** Reads everything that an Order's Tickets depend on, in the named cluster. */
export function orderRun(order: OrderSettings, world: World, named: string | undefined): OrderRun {
  const { value: fleet, findings: fleetFindings } = world.fleet(named)
  const { value: live, findings: liveFindings }: Read<Live> =
    fleet === undefined ? { findings: [] } : world.live(named ?? fleet.cluster)
  const { now } = world
  const refresh = refreshAt(order, now)
  const hasLive = live?.tickets !== undefined
  const knowsEnds = world.isSeen && (hasLive || world.options.korder.renewAfter !== undefined)
  const mayRenew = knowsEnds && isRenewed(order)
  const findings = [
    ...habitFindings(order),
    ...clockFindings(order, now, mayRenew),
    ...earlierFindings(order, world, hasLive),
    ...refreshFindings(order, refresh, hasLive),
  ]
  return {
    fleet,
    refresh,
    live: live?.tickets ?? [],
    isRenewed: mayRenew,
    findings,
    isStopped: fleet === undefined || world.stops([...fleetFindings, ...liveFindings]),
  }
}

/** Reports options that need the earlier Tickets in the input. */
function earlierFindings(order: OrderSettings, world: World, hasLive: boolean): Finding[] {
  if (world.isSeen) return []
  const { name, subject } = order
  const { keep, renewAfter } = world.options.korder
  const followers = [
    ...(keep ? ['spec.korder.keep'] : []),
    ...(renewAfter !== undefined && isRenewed(order) ? ['spec.korder.renewAfter'] : []),
    ...(hasLive && isRenewed(order) && !isRefreshedByTime(order) ? ['a WorkloadSnapshot'] : []),
  ]
  const [what] = followers
  return what === undefined
    ? []
    : [finding('NeedsEarlierOutput', `${name}: ${what} needs the earlier Tickets`, { subject })]
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
