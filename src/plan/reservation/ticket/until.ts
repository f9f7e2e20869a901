import { BEGUN, GENERATION } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { OrderSettings } from '../order/read-order.ts'
import { type EndInput, endOf, endsAt } from './end.ts'
import { generationOf, isRefreshedByTime, type Refresh, refreshAt } from './generation.ts'

const MILLION = 1_000_000n

/** A Ticket and its names by generation. */
export interface Named {
  readonly object: KubernetesObject
  nameIn(generation: string): string
}

/** The inputs for the next change of an Order's Tickets. */
export interface UntilInput {
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
