import type { LiveTicket } from '../../../facts/inventory/index.ts'
import type { OrderSettings } from '../order/read-order.ts'

const STAMP = /^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})?Z$/

/**
 * Returns an instant as Tickets record it: `20250101T0600Z`, with seconds unless they are zero, as in every fire time.
 */
export function stamp(time: Date): string {
  const text = time.toISOString().slice(0, 19).replace(/:00$/, '')
  return `${text.replaceAll(/[-:]/g, '')}Z`
}

/**
 * Returns the instant of a generation, in milliseconds; undefined for any other text, such as the empty generation of a
 * Ticket that is not refreshed.
 */
function instantOf(generation: string): number | undefined {
  const [, year, month, day, hour, minute, second = '00'] = STAMP.exec(generation) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}

/** The state of an Order's schedule, which decides the generation of its Tickets. */
export interface Refresh {
  /**
   * The last fire time at or before now; undefined without a schedule, without a time of the run, or before the first
   * fire time.
   */
  readonly fire?: Date
  /** The generation that begins at that time; empty without one. */
  readonly generation: string
  /** Whether the Order has Tickets now. */
  readonly isOpen: boolean
}

/**
 * Returns the state of an Order's schedule at a time. A Scheduled Order has Tickets only for its duration after the
 * last fire time; any other always has them (research: korder section 4.3).
 */
export function refreshAt({ strategy, schedule, duration }: OrderSettings, now: Date | undefined): Refresh {
  if (schedule === undefined || now === undefined) return { generation: '', isOpen: true }
  const fire = schedule.parsed.previous(now)
  const generation = fire === undefined ? '' : stamp(fire)
  if (strategy !== 'Scheduled') return { fire, generation, isOpen: true }
  const end = fire === undefined ? 0n : BigInt(fire.getTime()) * 1_000_000n + duration
  return { fire, generation, isOpen: BigInt(now.getTime()) * 1_000_000n < end }
}

/** Whether every fire time renews all Tickets of an Order. */
export function isRefreshedByTime({ strategy, refreshPolicy }: OrderSettings): boolean {
  return strategy === 'Scheduled' || (strategy === 'Recurring' && refreshPolicy === 'Always')
}

/** The inputs that decide the generation of one node's Ticket. */
export interface GenerationInput {
  readonly order: OrderSettings
  readonly refresh: Refresh
  readonly now?: Date
  /** The generation of its earlier Ticket. */
  readonly earlier?: string
  /** Returns the live Ticket of a name; undefined if no snapshot shows it. */
  live(name: string): LiveTicket | undefined
  /** Returns the name of the Ticket in a generation. */
  nameIn(generation: string): string
  /** Returns when the named Ticket ended; undefined if it has not. */
  endOf(name: string): Date | undefined
}

/**
 * Returns the generation of one node's Ticket. With Always and Scheduled it is the last fire time; with OnClaim, too,
 * once the live Ticket was claimed before that time. A Ticket that has ended is renewed, whatever the schedule: its end
 * is the new generation.
 */
export function generationOf(input: GenerationInput): string {
  const { order, refresh, live, nameIn, endOf } = input
  const { fire } = refresh
  const current = currentOf(input)
  const name = nameIn(current)
  const ticket = live(name)
  const isClaimed = order.refreshPolicy === 'OnClaim' && order.strategy === 'Recurring' && ticket?.phase === 'Claimed'
  const claimedAt = isClaimed ? ticket.claimedAt : undefined
  if (fire !== undefined && claimedAt !== undefined && claimedAt.getTime() < fire.getTime()) return refresh.generation
  const end = endOf(name)
  return end === undefined ? current : stamp(end)
}

/** Returns the generation that a Ticket has if it has not ended. */
function currentOf({ order, refresh, now, earlier, live, nameIn }: GenerationInput): string {
  const { fire, generation: last } = refresh
  if (isRefreshedByTime(order)) {
    const renewed = earlier === undefined || earlier === last ? undefined : instantOf(earlier)
    // a Ticket renewed after the last fire time keeps its generation until the next one
    const isLater = renewed !== undefined && now !== undefined && renewed <= now.getTime()
    return isLater && renewed > (fire?.getTime() ?? 0) ? (earlier ?? last) : last
  }
  const isSeen = order.strategy === 'Recurring' && order.refreshPolicy === 'OnClaim' && live(nameIn(last)) !== undefined
  return earlier ?? (isSeen ? last : '')
}
