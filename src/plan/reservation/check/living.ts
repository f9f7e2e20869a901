import { indexBy } from '../../../core/index.ts'
import type { LiveTicket } from '../../../facts/inventory/index.ts'
import { type Finding, listNames, plural } from '../../../krm/finding.ts'
import { formatDuration, timeText } from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import type { OrderSettings } from '../order/read-order.ts'
import { liveTicketOf } from '../ticket/earlier-tickets.ts'
import { isRenewed } from '../ticket/end.ts'
import type { TicketPlan } from '../ticket/ticket.ts'

/** What the cluster has of an Order's Tickets, as a WorkloadSnapshot shows it. */

/** A guardian pod that does not run after this time waits for something that time alone does not bring. */
const LASTING_MILLISECONDS = 300_000
/** A command with more names is not one to paste: the next runs name the others. */
const MOST_IN_COMMAND = 20

/** The Tickets that a run renders for an Order, and what it knows of them. */
export interface LivingInput {
  readonly order: OrderSettings
  readonly tickets: readonly TicketPlan[]
  /** The names of its earlier Tickets. */
  readonly earlier: Iterable<string>
  /** All Tickets of the cluster; undefined if no snapshot has them. */
  readonly live: readonly LiveTicket[] | undefined
  readonly now?: Date
  /** Whether a claimed Ticket stays until its pod is gone. */
  readonly keepsClaimed?: boolean
}

/** Reports how many Tickets of an Order are in which state, which of them wait, and whose room is reserved twice. */
export function livingFindings(input: LivingInput): Finding[] {
  const { order, tickets, earlier, live } = input
  if (live === undefined) return []
  const before = new Set(earlier)
  const rendered = new Map(tickets.map(({ object, node }) => [object.metadata.name, node]))
  const seen = [...new Set([...before, ...rendered.keys()])].flatMap((name) => liveTicketOf(live, order, name) ?? [])
  const names = new Set(seen.map(({ name }) => name))
  const lost = [...rendered.keys()].filter((name) => before.has(name) && !names.has(name))
  const isForeign = (one: LiveTicket) =>
    one.order === order.name &&
    (order.namespace === undefined || one.namespace === order.namespace) &&
    !before.has(one.name) &&
    !rendered.has(one.name)
  const counts = { lost: lost.length, foreign: live.filter(isForeign).length }
  return [
    ...countFindings(order, seen, counts),
    ...waitFindings(seen, input),
    ...doubled(seen, rendered, input),
    ...longClaims(seen, rendered, input),
  ]
}

function countFindings(
  { name, subject }: OrderSettings,
  seen: readonly LiveTicket[],
  { lost, foreign }: { lost: number; foreign: number },
): Finding[] {
  if (seen.length + lost + foreign === 0) return []
  const counts = new Map<string, number>()
  for (const ticket of seen) counts.set(stateOf(ticket), (counts.get(stateOf(ticket)) ?? 0) + 1)
  const states = ['Reserved', 'Claimed', 'Pending', 'Expired'].flatMap((state) => {
    const count = counts.get(state)
    return count === undefined ? [] : [`${count} ${state}`]
  })
  const others = foreign === 0 ? [] : [`${foreign} of this Order that ${foreign === 1 ? 'is' : 'are'} not rendered`]
  const parts = [...states, ...(lost === 0 ? [] : [`${lost} not seen`]), ...others]
  return [finding('TicketsLive', `${name}: in the cluster are ${parts.join(', ')}`, { subject })]
}

/** Returns the state of a Ticket; one whose guardian pod does not run is Pending, whatever its phase. */
function stateOf({ phase, reason, since }: LiveTicket): string {
  if (phase === 'Claimed' || phase === 'Expired') return phase
  return phase === undefined || phase === '' || phase === 'Pending' || reason !== undefined || since !== undefined
    ? 'Pending'
    : 'Reserved'
}

/** Reports Tickets whose guardian pods have not run for minutes, by the reason that korder gives. */
function waitFindings(seen: readonly LiveTicket[], { order, now }: LivingInput): Finding[] {
  if (now === undefined) return []
  const waiting = seen.filter(
    (one) =>
      stateOf(one) === 'Pending' &&
      one.since !== undefined &&
      now.getTime() - one.since.getTime() >= LASTING_MILLISECONDS,
  )
  const alike = indexBy(waiting, (one) => JSON.stringify([reasonText(one), one.namespace]))
  return [...alike]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, all]) => {
      const first = Math.min(...all.flatMap(({ since }) => since?.getTime() ?? []))
      const where = listNames(all.map(({ node, name }) => node ?? name).sort())
      const sentence = `${order.name}: ${plural(all.length, 'Ticket')} ${all.length === 1 ? 'reserves' : 'reserve'} nothing since ${timeText(new Date(first))}, on ${where}: ${all.slice(0, 1).map(reasonText).join()}. Once the cause is gone, run ${deleteCommand(all)}`
      return finding('TicketsPending', sentence, { subject: order.subject })
    })
}

/** Returns the command that deletes Tickets of one namespace, so that the next apply makes them again. */
function deleteCommand(all: readonly LiveTicket[]): string {
  const namespace = all.find((one) => one.namespace !== '')?.namespace
  const names = all.map(({ name }) => name).sort()
  const given = namespace === undefined ? '' : `-n ${namespace} `
  return `kubectl ${given}delete ticket ${names.slice(0, MOST_IN_COMMAND).join(' ')}`
}

/** Returns why a guardian pod does not run, without the name of the pod, so that alike Tickets are alike. */
function reasonText({ reason }: LiveTicket): string {
  if (reason === undefined) return 'korder gives no reason'
  if (reason === 'Activated') return 'the guardian pod exists and does not run'
  return reason.replaceAll(/"?korder-guardian-[^\s"]+"?/g, 'the guardian pod').replace(/\.$/, '')
}

/**
 * Reports claimed Tickets whose room is reserved a second time beside the pod that has it: by another Ticket in this
 * run, or by the same one made again once its node is eligible.
 */
function doubled(
  seen: readonly LiveTicket[],
  rendered: ReadonlyMap<string, string>,
  { order }: LivingInput,
): Finding[] {
  const nodes = new Set(rendered.values())
  const claimed = seen.filter(
    ({ phase, podGone, name }) => phase === 'Claimed' && podGone !== true && !rendered.has(name),
  )
  if (claimed.length === 0) return []
  const nodesOf = (all: readonly LiveTicket[]) => listNames(all.flatMap(({ node }) => node ?? []).sort())
  const replaced = claimed.filter(({ node }) => node !== undefined && nodes.has(node))
  const removed = claimed.filter(({ node }) => node !== undefined && !nodes.has(node))
  const parts = [
    ...(replaced.length === 0
      ? []
      : [`a new Ticket reserves beside the pod that claimed the old one on ${nodesOf(replaced)}`]),
    ...(removed.length === 0
      ? []
      : [
          `the claimed Ticket is removed on ${nodesOf(removed)}, and made anew beside its pod when the node is eligible again`,
        ]),
  ]
  return parts.map((part) => finding('ClaimReservedTwice', `${order.name}: ${part}`, { subject: order.subject }))
}

/** Reports claims that have lasted for half of a Ticket's duration: such a pod will outlast the Ticket. */
function longClaims(
  seen: readonly LiveTicket[],
  rendered: ReadonlyMap<string, string>,
  { order, now, keepsClaimed }: LivingInput,
): Finding[] {
  if (now === undefined || keepsClaimed === true || !isRenewed(order)) return []
  const half = Number(order.duration / 2_000_000n)
  const long = seen.filter(
    ({ name, phase, podGone, claimedAt, expiresAt }) =>
      phase === 'Claimed' &&
      podGone !== true &&
      rendered.has(name) &&
      claimedAt !== undefined &&
      now.getTime() - claimedAt.getTime() >= half &&
      (expiresAt === undefined || expiresAt > now),
  )
  if (long.length === 0) return []
  const where = listNames(long.map(({ node, name }) => node ?? name).sort())
  const sentence = `${order.name}: ${long.length === 1 ? 'a pod has' : 'pods have'} held a claimed Ticket for half of its ${formatDuration(order.duration)} on ${where}: at its end the room is reserved a second time`
  return [finding('ClaimReservedTwice', sentence, { subject: order.subject })]
}
