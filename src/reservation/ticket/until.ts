import { BEGUN, GENERATION } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { OrderSettings } from '../order/read-order.ts'
import { type EndInput, endOf, endsAt } from './end.ts'
import { generationOf, isRefreshedByTime, type Refresh, refreshAt } from './generation.ts'

const MILLION = 1_000_000n

/** A Ticket, and its name in any generation. */
export interface Named {
  readonly object: KubernetesObject
  nameIn(generation: string): string
}

/** What is known of an Order's Tickets when they are made. */
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
 * The next instant at which an Order has other Tickets though nothing but the time is another: its schedule fires, its
 * window ends, or a Ticket has ended and is renewed. It holds for a run that finds these Tickets as its earlier ones.
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
    return time === end?.getTime() || tickets.some((ticket) => isOther(ticket, new Date(time), input, ending))
  })
  return first === undefined ? undefined : new Date(first)
}

/** When the Tickets of a Scheduled Order go. */
function windowEnd({ strategy, duration }: OrderSettings, { fire }: Refresh): Date | undefined {
  if (strategy !== 'Scheduled' || fire === undefined) return undefined
  return new Date(fire.getTime() + Number((duration + MILLION - 1n) / MILLION))
}

/**
 * The instants at which a generation may change: at a fire time, at the first one after a claim, at the end of a
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
  const claims = names.flatMap((name) => ending.live.get(name)?.claimedAt ?? []).filter((time) => time > now)
  const fires = [fire, ...[...new Set(claims)].map((time) => order.schedule?.parsed.next(time))]
  return [...fires, ...(mayRenew ? names.map((name) => endsAt(name, order, ending)) : [])]
}

/** Whether a Ticket has another generation at a time. */
function isOther(
  { object, nameIn }: Named,
  now: Date,
  { order, mayRenew, isSeen }: UntilInput,
  ending: EndInput,
): boolean {
  const is = object.metadata.annotations?.[GENERATION] ?? ''
  const next = generationOf({
    order,
    refresh: refreshAt(order, now),
    now,
    earlier: isSeen ? is : undefined,
    live: ending.live,
    nameIn,
    endOf: (name) => (mayRenew ? endOf(name, order, { ...ending, now }) : undefined),
  })
  return next !== is
}
