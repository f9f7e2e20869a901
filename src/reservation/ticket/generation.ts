import type { LiveTicket } from '../../inventory/index.ts'
import type { OrderSettings } from '../order/settings.ts'

/** An instant as Tickets carry it: `20250101T0600Z`, with seconds where it has some. A fire time never has. */
function stamp(time: Date): string {
  const text = time.toISOString().slice(0, 19).replace(/:00$/, '')
  return `${text.replaceAll(/[-:]/g, '')}Z`
}

/** What is known when the generation of an Order's Tickets is decided. */
export interface Refresh {
  /** The last fire time at or before now; undefined where there is no schedule. */
  readonly fire?: Date
  /** Whether Tickets are rendered now at all. */
  readonly isOpen: boolean
}

/**
 * The state of an Order's schedule at a moment. A Scheduled Order has Tickets only while the duration since its last fire time
 * has not passed; any other has them always (research: korder section 4.3).
 */
export function refreshAt({ strategy, schedule, duration }: OrderSettings, now: Date | undefined): Refresh {
  if (schedule === undefined || now === undefined) return { isOpen: true }
  const fire = schedule.parsed.previous(now)
  if (strategy !== 'Scheduled') return { fire, isOpen: true }
  const end = fire === undefined ? 0n : BigInt(fire.getTime()) * 1_000_000n + duration
  return { fire, isOpen: BigInt(now.getTime()) * 1_000_000n < end }
}

/**
 * The generation of one node's Ticket. Always and Scheduled take the fire time; OnClaim takes it once the live Ticket was
 * claimed or has expired before it; in any case a live Ticket that has expired counts as absent, and is made anew.
 * `nameOf` gives the Ticket's name for a generation, `earlier` the one it was rendered with.
 */
export function generationOf(
  { strategy, refreshPolicy }: OrderSettings,
  { fire }: Refresh,
  earlier: string | undefined,
  live: ReadonlyMap<string, LiveTicket>,
  nameOf: (generation: string) => string,
): string {
  const last = fire === undefined ? '' : stamp(fire)
  if (strategy === 'Scheduled' || (strategy === 'Recurring' && refreshPolicy === 'Always')) return last
  const isOnClaim = strategy === 'Recurring' && refreshPolicy === 'OnClaim'
  const current = earlier ?? (isOnClaim && last !== '' && live.has(nameOf(last)) ? last : '')
  const ticket = live.get(nameOf(current))
  if (ticket === undefined) return current
  if (isOnClaim && fire !== undefined) {
    const ended =
      ticket.phase === 'Claimed' ? ticket.claimedAt : ticket.phase === 'Expired' ? ticket.expiresAt : undefined
    return ended !== undefined && ended.getTime() < fire.getTime() ? last : current
  }
  return ticket.phase === 'Expired' && ticket.expiresAt !== undefined ? stamp(ticket.expiresAt) : current
}
