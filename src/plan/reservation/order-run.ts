import type { Facts, World } from '../../core/index.ts'
import type { Fleet, Live, LiveTicket } from '../../facts/inventory/index.ts'
import type { Finding, Read } from '../../krm/finding/index.ts'
import { timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { clockFindings, habitFindings } from './order/advice.ts'
import type { OrderSettings } from './order/read-order.ts'
import { isRenewed, NO_RENEWAL, type Renewal } from './ticket/end.ts'
import { isRefreshedByTime, type Refresh, refreshAt } from './ticket/generation.ts'

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
