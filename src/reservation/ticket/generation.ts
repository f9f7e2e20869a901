import type { LiveTicket } from '../../inventory/index.ts'
import type { OrderSettings } from '../order/read-order.ts'

const STAMP = /^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})?Z$/

/** An instant as Tickets carry it: `20250101T0600Z`, with seconds where it has some. A fire time never has. */
export function stamp(time: Date): string {
  const text = time.toISOString().slice(0, 19).replace(/:00$/, '')
  return `${text.replaceAll(/[-:]/g, '')}Z`
}

/**
 * The instant of a generation, in milliseconds; undefined for what is none, as the first one of a Ticket that is not
 * refreshed.
 */
function instantOf(generation: string): number | undefined {
  const [, year, month, day, hour, minute, second = '00'] = STAMP.exec(generation) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}

/** What is known when the generation of an Order's Tickets is decided. */
export interface Refresh {
  /** The last fire time at or before now; undefined where there is no schedule. */
  readonly fire?: Date
  /** Whether Tickets are rendered now at all. */
  readonly isOpen: boolean
}

/**
 * The state of an Order's schedule at a moment. A Scheduled Order has Tickets only while the duration since its last
 * fire time has not passed; any other has them always (research: korder section 4.3).
 */
export function refreshAt({ strategy, schedule, duration }: OrderSettings, now: Date | undefined): Refresh {
  if (schedule === undefined || now === undefined) return { isOpen: true }
  const fire = schedule.parsed.previous(now)
  if (strategy !== 'Scheduled') return { fire, isOpen: true }
  const end = fire === undefined ? 0n : BigInt(fire.getTime()) * 1_000_000n + duration
  return { fire, isOpen: BigInt(now.getTime()) * 1_000_000n < end }
}

/** Whether every fire time renews all Tickets of an Order. */
export function isRefreshedByTime({ strategy, refreshPolicy }: OrderSettings): boolean {
  return strategy === 'Scheduled' || (strategy === 'Recurring' && refreshPolicy === 'Always')
}

/** What decides the generation of one node's Ticket. */
export interface GenerationInput {
  readonly order: OrderSettings
  readonly refresh: Refresh
  readonly now?: Date
  /** The generation that its Ticket was rendered with before. */
  readonly earlier?: string
  readonly live: ReadonlyMap<string, LiveTicket>
  /** The Ticket's name in a generation. */
  nameIn(generation: string): string
  /** When the Ticket of a name ended, if it has. */
  endOf(name: string): Date | undefined
}

/**
 * The generation of one node's Ticket. Always and Scheduled take the fire time, OnClaim takes it once the live Ticket
 * was claimed before it; what has ended is renewed, whatever the schedule, and its end is the new generation.
 */
export function generationOf(input: GenerationInput): string {
  const { order, refresh, live, nameIn, endOf } = input
  const { fire } = refresh
  const current = currentOf(input)
  const name = nameIn(current)
  const ticket = live.get(name)
  const isClaimed = order.refreshPolicy === 'OnClaim' && order.strategy === 'Recurring' && ticket?.phase === 'Claimed'
  const claimedAt = isClaimed ? ticket.claimedAt : undefined
  if (fire !== undefined && claimedAt !== undefined && claimedAt.getTime() < fire.getTime()) return stamp(fire)
  const end = endOf(name)
  return end === undefined ? current : stamp(end)
}

/** The generation that a Ticket has as long as nothing ended it. */
function currentOf({ order, refresh: { fire }, now, earlier, live, nameIn }: GenerationInput): string {
  const last = fire === undefined ? '' : stamp(fire)
  if (isRefreshedByTime(order)) {
    const renewed = earlier === undefined ? undefined : instantOf(earlier)
    // what was renewed since the last fire time stays until the next one
    const isLater = renewed !== undefined && now !== undefined && renewed <= now.getTime()
    return isLater && renewed > (fire?.getTime() ?? 0) ? (earlier ?? last) : last
  }
  const isSeen = order.strategy === 'Recurring' && order.refreshPolicy === 'OnClaim' && live.has(nameIn(last))
  return earlier ?? (isSeen ? last : '')
}
