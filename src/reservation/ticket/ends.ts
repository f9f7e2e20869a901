import { type Finding, plural, type Subject } from '../../finding/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { formatDuration, timeText } from '../../kube/index.ts'
import { finding } from '../codes.ts'
import type { OrderSettings } from '../order/settings.ts'
import { endOfTicket, isRenewed as isRenewedWhenOver } from './end.ts'
import { isRefreshedByTime } from './generation.ts'

const OVER =
  'Delete the Order if that was meant; one that is to go on needs a longer duration, or another policy than Never: docs/reservations.md.'

/**
 * Until when a reservation holds that nothing makes anew: no schedule, and nobody who says what has ended. Tickets
 * whose end has passed are a warning: in the cluster they are Expired, however often they are applied.
 */
export function endFindings(
  order: OrderSettings,
  tickets: ReadonlyArray<{ object: KubernetesObject }>,
  { now, isRenewed, subject }: { now?: Date; isRenewed: boolean; subject: Subject },
): Finding[] {
  if (tickets.length === 0 || isRenewed || (!order.paused && isRefreshedByTime(order))) return []
  // of OneTime with Never it is meant
  const mayRenew = isRenewedWhenOver(order)
  const ends = tickets.flatMap(({ object }) => endOfTicket(object)?.getTime() ?? []).sort((a, b) => a - b)
  const over = ends.filter((end) => now !== undefined && end <= now.getTime())
  const [first] = over
  if (first !== undefined) {
    const all = over.length === tickets.length ? '' : ` of ${tickets.length}`
    const sentence = `${subject.metadata.name}: ${plural(over.length, 'Ticket')}${all} ended by now, the first at ${timeText(first)}`
    return [finding('ReservationEnded', sentence, { subject, mend: mayRenew ? undefined : OVER })]
  }
  return [
    finding(
      'ReservationEnds',
      `${subject.metadata.name}: the reservation holds ${until(order, ends, tickets.length)}`,
      { subject, mend: mayRenew ? undefined : '' },
    ),
  ]
}

function until({ duration }: OrderSettings, ends: readonly number[], count: number): string {
  const [first] = ends
  const last = ends.at(-1)
  const unknown = count - ends.length
  if (first === undefined || last === undefined)
    return `for ${formatDuration(duration)} from when its Tickets are applied`
  const known =
    first === last
      ? `until ${timeText(first)}`
      : `until ${timeText(first)} on the first node, until ${timeText(last)} on the last`
  return unknown === 0 ? known : `${known}; when ${plural(unknown, 'Ticket')} began is not known`
}
