import { memoLast } from '../../../core/index.ts'
import type { LiveTicket } from '../../../facts/inventory/index.ts'
import type { KorderOptions } from '../../../kinds/index.ts'
import { type Finding, plural, type Subject } from '../../../krm/finding.ts'
import { BEGUN, GENERATION } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { formatDuration, isTime, parseDuration, timeText } from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import { problemOf } from '../order/check-order.ts'
import type { OrderSettings } from '../order/read-order.ts'
import { generationOf, isRefreshedByTime, type Refresh, refreshAt } from './ticket.ts'

const MILLION = 1_000_000n

/** Whether ended Tickets of an Order are renewed: always, except for OneTime with Never. */
export function isRenewed({ strategy, refreshPolicy }: OrderSettings): boolean {
  return strategy !== 'OneTime' || refreshPolicy !== 'Never'
}

/** The inputs that decide whether a Ticket has ended. */
export interface EndInput {
  readonly now?: Date
  /** How long after its computed end a Ticket that no snapshot shows counts as ended, in nanoseconds. */
  readonly renewAfter?: bigint
  /** Returns the live Ticket of a name; undefined if no snapshot shows it. */
  live(name: string): LiveTicket | undefined
  /** Whether a claimed Ticket is renewed at its end, or only when its pod is gone. */
  readonly claimed?: KorderOptions['claimed']
  /** When each Ticket began, by its name; undefined if it does not record that. */
  readonly begun: ReadonlyMap<string, string | undefined>
}

/**
 * Returns when the named Ticket ended; undefined if it has not, or the time is unknown. A live Ticket has ended when it
 * is Expired or its time has passed, a claimed one not before its computed end, and one that no snapshot shows
 * `renewAfter` later than that. Returns the computed end, or the end in the snapshot if that is earlier.
 */
export function endOf(name: string, { duration }: OrderSettings, input: EndInput): Date | undefined {
  const { now, live, begun, claimed } = input
  const ticket = live(name)
  // it never becomes free by itself, so another takes its place: once, as the time of the claim names its generation
  if (claimed === 'keep' && ticket?.phase === 'Claimed' && ticket.podGone === true) return ticket.claimedAt ?? now
  if (ticket?.phase !== 'Expired' && !isOver(endsAt(name, { duration }, input), now)) return undefined
  const computed = endAfter(begun.get(name), duration)
  return ticket === undefined ? computed : earlierOf(computed, ticket.expiresAt ?? now)
}

/** Returns the first instant at which the named Ticket counts as ended; undefined if that is unknown. */
function endsAt(
  name: string,
  { duration }: Pick<OrderSettings, 'duration'>,
  { renewAfter, live, begun }: EndInput,
): Date | undefined {
  const computed = endAfter(begun.get(name), duration)
  const ticket = live(name)
  if (ticket === undefined)
    return renewAfter === undefined || computed === undefined ? undefined : endAfter(computed.toISOString(), renewAfter)
  const { phase, expiresAt } = ticket
  return phase === 'Claimed' && computed !== undefined ? laterOf(computed, expiresAt ?? computed) : expiresAt
}

/**
 * Returns when the named Ticket will end or has ended, the name of its successor; undefined if that is unknown, or the
 * Ticket is not to be renewed before: a pod has claimed it, or nothing shows that its end is acted on.
 */
export function nextEnd(name: string, { duration }: OrderSettings, input: EndInput): Date | undefined {
  const { renewAfter, live, begun, now } = input
  const ticket = live(name)
  const computed = endAfter(begun.get(name), duration)
  if (ticket === undefined) return renewAfter === undefined ? undefined : computed
  if (isInUse(ticket)) return undefined
  return ticket.phase === 'Expired' ? (ticket.expiresAt ?? now) : earlierOf(computed, ticket.expiresAt)
}

/** Whether a pod that claimed a Ticket may still use its room. */
export function isInUse(ticket: LiveTicket | undefined): boolean {
  return ticket?.phase === 'Claimed' && ticket.podGone !== true
}

function laterOf(left: Date, right: Date): Date {
  return left.getTime() > right.getTime() ? left : right
}

function earlierOf(left: Date | undefined, right: Date | undefined): Date | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left.getTime() < right.getTime() ? left : right
}

/**
 * Returns the end of a rendered Ticket: its duration after it began; undefined if it does not record these. korder
 * reads no startTime: a Ticket reserves from when it is applied.
 */
function endOfTicket({ metadata, spec }: KubernetesObject): Date | undefined {
  const { duration, window } = (spec ?? {}) as Times & { window?: Times }
  const length = duration ?? window?.duration
  if (typeof length !== 'string' || problemOf(() => parseDuration(length)) !== undefined) return undefined
  return endAfter(metadata.annotations?.[BEGUN], parseDuration(length))
}

interface Times {
  duration?: unknown
}

function endAfter(start: unknown, duration: bigint): Date | undefined {
  if (typeof start !== 'string') return undefined
  const time = startOf(start)
  return time === undefined ? undefined : new Date(time + Number(duration / MILLION))
}

/** Thousands of Tickets began in one run. */
const startOf = memoLast((text: string) => (isTime(text) ? Date.parse(text) : undefined))

function isOver(end: Date | undefined, now: Date | undefined): boolean {
  return end !== undefined && now !== undefined && end.getTime() <= now.getTime()
}

const OVER =
  'Delete the Order if it was meant to end; otherwise set a longer duration, or a refreshPolicy other than Never: docs/korder/reservations.md.'
const UNPAUSE = 'Set spec.paused: false to have them renewed.'
const UNPAUSE_ONLY = 'Set spec.paused: false; the next run says what the reservation needs then.'

/** What acts on the ends of an Order's Tickets. */
export interface Renewal {
  /** Whether each run learns which Tickets have ended: by a snapshot that is not stale, or by renewAfter. */
  readonly isKnown: boolean
  /** Whether the end of the named Ticket is acted on: a snapshot shows it, or renewAfter is set. */
  renews(name: string): boolean
}

/** Nothing is renewed, as in a paused Order. */
export const NO_RENEWAL: Renewal = { isKnown: false, renews: () => false }

/**
 * Reports until when a reservation holds, unless a schedule or `renewal` renews it. Tickets whose end has passed and
 * that nothing shows are a warning: in the cluster they are Expired, and applying them again does not change that.
 */
export function endFindings(
  order: OrderSettings,
  tickets: ReadonlyArray<{ object: KubernetesObject }>,
  { now, renewal, subject }: { now?: Date; renewal: Renewal; subject: Subject },
): Finding[] {
  if (!order.paused && isRefreshedByTime(order)) return []
  // OneTime with Never is meant to end, so its findings propose no renewal
  const mayRenew = isRenewed(order)
  const name = subject.metadata.name
  const left = tickets.filter(({ object }) => !(mayRenew && renewal.renews(object.metadata.name)))
  const ends = left.flatMap(({ object }) => endOfTicket(object)?.getTime() ?? []).sort((a, b) => a - b)
  const over = ends.filter((end) => now !== undefined && end <= now.getTime())
  const [first] = over
  const place = { subject, mend: order.paused ? (mayRenew ? UNPAUSE : UNPAUSE_ONLY) : undefined }
  if (first !== undefined) {
    const all = over.length === tickets.length ? '' : ` of ${tickets.length}`
    const sentence = `${name}: ${plural(over.length, 'Ticket')}${all} ${over.length === 1 ? 'has' : 'have'} ended, the first at ${timeText(first)}`
    return [finding('ReservationEnded', sentence, { ...place, mend: order.paused || mayRenew ? place.mend : OVER })]
  }
  if (left.length === 0 || (mayRenew && renewal.isKnown)) return []
  const holds = `${name}: the reservation holds ${until(order, ends, left.length)}`
  if (!mayRenew || order.paused) return [finding('ReservationEnds', holds, place)]
  return [finding('ReservationLapses', `${holds}, and nothing renews it`, place)]
}

function until({ duration }: OrderSettings, ends: readonly number[], count: number): string {
  const [first] = ends
  const last = ends.at(-1)
  const unknown = count - ends.length
  if (first === undefined || last === undefined) return `for ${formatDuration(duration)} after its Tickets are applied`
  const known =
    first === last
      ? `until ${timeText(first)}`
      : `until ${timeText(first)} on the first node, until ${timeText(last)} on the last`
  return unknown === 0 ? known : `${known}; the start of ${plural(unknown, 'Ticket')} is unknown`
}

/** A Ticket and its names by generation. */
export interface Named {
  readonly object: KubernetesObject
  nameIn(generation: string): string
}

/** The inputs for the next change of an Order's Tickets. */
interface UntilInput {
  readonly order: OrderSettings
  readonly refresh: Refresh
  readonly tickets: readonly Named[]
  /** Whether any node would have a Ticket if the Order's window were open. */
  readonly hasNodes: boolean
  /** Whether ended Tickets are renewed. */
  readonly mayRenew: boolean
  readonly isSeen: boolean
  readonly ending: EndInput
}

/**
 * Returns the next instant at which time alone changes an Order's Tickets: its schedule fires, its window ends, or a
 * Ticket ends and is renewed. Undefined if nothing will change, no node is eligible, or the time of the run is unknown.
 * Assumes that the run at that instant reads these Tickets as its earlier ones.
 */
export function untilOf(input: UntilInput): Date | undefined {
  const { order, refresh, tickets, hasNodes } = input
  const { now } = input.ending
  if (now === undefined || !hasNodes) return undefined
  // without Tickets the window is closed, and the next fire time opens it
  const fire = order.schedule?.parsed.next(now)
  if (!refresh.isOpen) return fire
  const begun = new Map(tickets.map(({ object: { metadata } }) => [metadata.name, metadata.annotations?.[BEGUN]]))
  const ending = { ...input.ending, begun }
  const end = windowEnd(order, refresh)
  const instants = [...candidates(input, ending, now, fire), end].flatMap((one) => one?.getTime() ?? [])
  const times = [...new Set(instants)].filter((time) => time > now.getTime()).sort((a, b) => a - b)
  const first = times.find((time) => {
    if (time === end?.getTime()) return true
    const then = { now: new Date(time), refresh: refreshAt(order, new Date(time)) }
    return tickets.some((ticket) => isOther(ticket, then, input, ending))
  })
  return first === undefined ? undefined : new Date(first)
}

/**
 * Returns when the window of a Scheduled Order ends and its Tickets are removed; undefined for other strategies, or
 * before the first fire time.
 */
function windowEnd({ strategy, duration }: OrderSettings, { fire }: Refresh): Date | undefined {
  if (strategy !== 'Scheduled' || fire === undefined) return undefined
  return new Date(fire.getTime() + Number((duration + MILLION - 1n) / MILLION))
}

/**
 * Returns the instants at which a generation may change: the next fire time, the first one after a claim, the end of a
 * Ticket.
 */
function candidates(
  { order, tickets, mayRenew }: UntilInput,
  ending: EndInput,
  now: Date,
  fire: Date | undefined,
): Array<Date | undefined> {
  if (isRefreshedByTime(order) && !mayRenew) return [fire]
  const names = tickets.map(({ object }) => object.metadata.name)
  const claims = names.flatMap((name) => ending.live(name)?.claimedAt ?? []).filter((time) => time > now)
  const fires = [fire, ...[...new Set(claims)].map((time) => order.schedule?.parsed.next(time))]
  return [...fires, ...(mayRenew ? names.map((name) => endsAt(name, order, ending)) : [])]
}

/** Whether a Ticket has a different generation at a time. */
function isOther(
  { object, nameIn }: Named,
  { now, refresh }: { readonly now: Date; readonly refresh: Refresh },
  { order, mayRenew, isSeen }: UntilInput,
  ending: EndInput,
): boolean {
  const is = object.metadata.annotations?.[GENERATION] ?? ''
  const next = generationOf({
    order,
    refresh,
    now,
    earlier: isSeen ? is : undefined,
    live: ending.live,
    nameIn,
    endOf: (name) => (mayRenew ? endOf(name, order, { ...ending, now }) : undefined),
  })
  return next !== is
}
