import type { LiveTicket } from '../../inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isTime, parseDuration } from '../../kube/index.ts'
import { problemOf } from '../order/problem.ts'
import type { OrderSettings } from '../order/settings.ts'

/** When a Ticket's generation was first rendered, RFC 3339. Written once, and never changed. */
export const BEGUN = 'nodefit.dev/begun'

const MILLION = 1_000_000n

/** Whether what has ended of an Order is made anew; of OneTime with Never nothing is. */
export function isRenewed({ strategy, refreshPolicy }: OrderSettings): boolean {
  return strategy !== 'OneTime' || refreshPolicy !== 'Never'
}

/** What says that a Ticket has ended. */
export interface EndInput {
  readonly now?: Date
  /** How long after its computed end a Ticket that nobody has seen counts as ended, in nanoseconds. */
  readonly renewAfter?: bigint
  readonly live: ReadonlyMap<string, LiveTicket>
  /** When each Ticket was begun, by its name, as far as it says. */
  readonly begun: ReadonlyMap<string, string | undefined>
}

/**
 * When the Ticket of a name ended, if it has. A live one has ended when it is Expired or its time is over; one that is claimed, not
 * before its computed end; one that no snapshot shows, `renewAfter` past that. The instant is the computed end, or what the
 * snapshot says where it ended earlier.
 */
export function endOf(name: string, { startTime, duration }: OrderSettings, input: EndInput): Date | undefined {
  const { now, renewAfter, live, begun } = input
  const computed = endAfter(begun.get(name) ?? startTime, duration)
  const ticket = live.get(name)
  if (ticket === undefined) {
    if (renewAfter === undefined || computed === undefined || now === undefined) return undefined
    return isOver(endAfter(computed.toISOString(), renewAfter), now) ? computed : undefined
  }
  const { phase, expiresAt } = ticket
  const wanted = phase === 'Claimed' && computed !== undefined ? [computed, expiresAt ?? computed] : [expiresAt]
  if (phase !== 'Expired' && !wanted.every((time) => isOver(time, now))) return undefined
  return earlierOf(computed, expiresAt ?? now)
}

function earlierOf(left: Date | undefined, right: Date | undefined): Date | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left.getTime() < right.getTime() ? left : right
}

/** The end of a rendered Ticket as it says itself: when it was begun, or is to start, and its duration later. */
export function endOfTicket({ metadata, spec }: KubernetesObject): Date | undefined {
  const { duration, startTime, window } = (spec ?? {}) as Times & { window?: Times }
  const length = duration ?? window?.duration
  if (typeof length !== 'string' || problemOf(() => parseDuration(length)) !== undefined) return undefined
  return endAfter(metadata.annotations?.[BEGUN] ?? startTime ?? window?.startTime, parseDuration(length))
}

interface Times {
  duration?: unknown
  startTime?: unknown
}

function endAfter(start: unknown, duration: bigint): Date | undefined {
  if (typeof start !== 'string' || !isTime(start)) return undefined
  return new Date(Date.parse(start) + Number(duration / MILLION))
}

function isOver(end: Date | undefined, now: Date | undefined): boolean {
  return end !== undefined && now !== undefined && end.getTime() <= now.getTime()
}
