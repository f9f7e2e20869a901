import type { Finding } from '../../finding/index.ts'
import { type LiveTicket, namedNodes, type Shape } from '../../inventory/index.ts'
import type { Item } from '../../krm/types.ts'
import type { KorderOptions } from '../../policy/index.ts'
import type { Rendered } from '../../world/index.ts'
import { orderNameFindings } from '../order/advice.ts'
import type { Dialect, OrderSettings } from '../order/settings.ts'
import { readEarlierTickets } from './earlier-tickets.ts'
import type { Refresh } from './generation.ts'
import type { LeftOut } from './left-out.ts'
import { type TicketPlan, ticketsOf } from './tickets.ts'

/** Above this many Tickets an Order's go into 256 files instead of 16. */
const MANY = 2000

/** What the Tickets of an Order depend on, besides the Order. */
export interface TicketsContext {
  readonly shapes: readonly Shape[]
  readonly dialect: Dialect
  readonly earlier: readonly Item[]
  readonly korder: KorderOptions
  readonly refresh: Refresh
  readonly live: readonly LiveTicket[]
  readonly now?: Date
  /** Whether what was rendered before can be in the input. */
  readonly isSeen: boolean
}

/** The Tickets of one Order on the nodes that it was given; where there are errors, none may be used. */
export interface TicketsPlan {
  readonly order: OrderSettings
  readonly tickets: readonly TicketPlan[]
  /** The nodes with a Ticket now, or that would have one if the Order's window were open. */
  readonly nodes: readonly string[]
  readonly left: readonly LeftOut[]
  readonly objects: readonly Rendered[]
  readonly findings: readonly Finding[]
  /** The next instant at which the Tickets are others. */
  readonly until?: Date
}

/** Plans the Tickets of one Order. */
export function planTickets(order: OrderSettings, context: TicketsContext): TicketsPlan {
  const { shapes, dialect, korder, refresh, live, now, isSeen } = context
  const style = { dialect, pin: korder.pin, orderLabel: korder.orderLabel }
  const earlier = readEarlierTickets(context.earlier)
  const made = ticketsOf({ order, shapes, style, korder, refresh, earlier, live, now, isSeen })
  const digits = made.tickets.length > MANY ? 2 : 1
  const objects = made.tickets.map(({ object, node }) => {
    const file = `tickets-${order.name}-${object.metadata.name.slice(-10).slice(0, digits)}.yaml`
    return { object, file, about: node, node, ...namedNodes([node]) }
  })
  return { order, ...made, objects, findings: [...orderNameFindings(order), ...made.findings] }
}
