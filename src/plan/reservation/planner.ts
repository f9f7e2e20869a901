import { factsOf, type Planner, type World } from '../../core/index.ts'
import {
  isOrder,
  isSizingPolicy,
  isTicket,
  KORDER,
  NODEFIT,
  readSizingPolicy,
  type SizingSettings,
  targetKindOf,
} from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { BEGUN } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { liveItems } from './check/duplicates.ts'
import { quotaFindings } from './check/quota.ts'
import { checkTogether } from './check/together.ts'
import { finding, RESERVATION_CODES } from './codes.ts'
import { formerOrder, handedBack, isKeptBack, planFormer, retirementOf } from './order/former.ts'
import type { Dialect, OrderSettings } from './order/read-order.ts'
import { isDaemonOrder, readOrder } from './order/read-order.ts'
import { isTargetOfPolicy } from './order/target.ts'
import { planOrder } from './plan-order.ts'
import { planSizedOrder } from './plan-sized-order.ts'

/** An Order in DaemonSet mode, an Order that left it, or a policy that sizes an Order per group. */
export type Reserving = { readonly subject: Item } & (
  | { readonly order: OrderSettings }
  | { readonly policy: SizingSettings }
  /** No longer in DaemonSet mode, with the Tickets that were rendered from it. */
  | { readonly former: readonly Item[] }
)

/** Does not propose former names, as for policies: every Order has its own Tickets. */
const ORPHAN_MEND =
  'Restore the Order. If you deleted or renamed it on purpose, delete its Tickets from their files, or allow OrphanedOutput in a RenderConfig for one run. If you moved it to another package, move their files there too: docs/korder/reservations.md.'

const FOREIGN_TICKET_MEND =
  'The name of a Ticket identifies what it reserves: remove that Ticket from the package, and the rendered one replaces it in the cluster; or, if both must stay, rename it in its file.'

/** Proposes DaemonSet mode and not a policy, which a user of plain Orders may not need. */
const PLAIN_ORDER_MEND =
  'korder creates the Tickets of a plain Order; to get one on each eligible node, set daemonSet: true.'

/** Renders reservations: Tickets for Orders in DaemonSet mode, and Orders sized per node group. */
export const orderPlanner = {
  codes: RESERVATION_CODES,
  schemas: [
    { apiVersion: NODEFIT, kind: 'SizingPolicy' },
    { apiVersion: KORDER, kind: 'Order' },
    { apiVersion: KORDER, kind: 'DaemonOrder' },
  ],
  summary: (subject) => (isSizingPolicy(subject) ? 'PolicySummary' : 'OrderSummary'),
  asksFor: 'Order in DaemonSet mode',
  volatile: [BEGUN],
  noun: 'Ticket',
  leaves: () => 'removed',
  claims: ({ object }) =>
    isDaemonOrder(object) || isKeptBack(object) || (isSizingPolicy(object) && targetKindOf(object) === 'Order'),
  mayHaveClaimed: ({ object }) => isOrder(object),
  isInput: ({ object }) => isDaemonOrder(object),
  retirement: retirementOf,
  isDoubled: (object) => isDaemonOrder(object) || isOrder(object),
  read: (subject, world) => {
    if (isSizingPolicy(subject.object)) {
      const { settings: policy, findings } = readSizingPolicy(subject.object)
      return policy === undefined ? { findings } : { value: { subject, policy }, findings }
    }
    // an Order that a policy sizes has only the Tickets of its groups
    if (isTargetOfPolicy(subject, world)) return { findings: [] }
    if (!isDaemonOrder(subject.object)) {
      const former = formerOrder(subject, world)
      return former === undefined ? { findings: [] } : { value: { subject, former }, findings: [] }
    }
    const { value: order, findings } = readOrder(subject.object)
    return order === undefined ? { findings } : { value: { subject, order }, findings }
  },
  plan: (asked, world, before) => {
    if (asked.length === 0) return []
    const { all, findings: backFindings } = withHandedBack(asked, world)
    const { dialect, findings: dialectFindings } = dialectFor(all, world)
    const sized = all.flatMap((one) =>
      'policy' in one ? [planSizedOrder(one.subject, one.policy, world, dialect)] : [],
    )
    const orders = all.flatMap((one) => ('order' in one ? [planOrder(one.subject, one.order, world, dialect)] : []))
    const former = all.flatMap((one) => ('former' in one ? [planFormer(one.subject, one.former)] : []))
    const plans = [...sized, ...orders, ...former]
    const common = [...backFindings, ...dialectFindings]
    const found = [...common, ...plans.flatMap(({ planned }) => planned.findings)]
    const { findings: ofFacts } = factsOf([...before, ...plans.map(({ planned }) => planned)])
    const isStopped = world.stops([...world.findings, ...ofFacts, ...found])
    const { findings: acrossOrders, lives } = isStopped ? NOTHING_ACROSS : checkTogether(plans, world, before)
    // what is found about all Orders, and read for that, is reported with the first
    return plans.map(({ planned }, index) =>
      index === 0
        ? {
            ...planned,
            facts: { ...planned.facts, lives: [...(planned.facts?.lives ?? []), ...lives] },
            findings: [...common, ...planned.findings, ...acrossOrders],
          }
        : planned,
    )
  },
  check: (_, world, items, stands) => [
    ...liveItems(world.items.map(({ object }) => object)),
    ...(stands ? quotaFindings(items) : []),
  ],
  mends: {
    orphan: (ownerKind) => (ownerKind === 'Order' ? ORPHAN_MEND : undefined),
    foreign: (object) => (isTicket(object) ? FOREIGN_TICKET_MEND : undefined),
    idle: (items) => (items.some(({ object }) => isOrder(object)) ? PLAIN_ORDER_MEND : undefined),
  },
} as const satisfies Planner<Reserving>

const NOTHING_ACROSS = { findings: [], lives: [] }

/** Returns the subjects of the run, and the Orders that disabled policies hand back in runs for one policy. */
function withHandedBack(asked: readonly Reserving[], world: World): { all: readonly Reserving[]; findings: Finding[] } {
  const back = asked.flatMap((one) => ('policy' in one ? (handedBack(one.policy, world) ?? []) : []))
  const read = back.map((subject) => ({ subject, ...readOrder(subject.object) }))
  const orders = read.flatMap(({ subject, value: order }) => (order === undefined ? [] : [{ subject, order }]))
  return { all: [...asked, ...orders], findings: read.flatMap(({ findings }) => findings) }
}

/**
 * Returns one dialect for all Tickets of a package: that of the RenderConfig, else that of the Orders, including those
 * that policies size. Reports Orders of different dialects.
 */
function dialectFor(all: readonly Reserving[], world: World): { dialect: Dialect; findings: Finding[] } {
  const { korder } = world.options
  if (korder.dialect !== undefined) return { dialect: korder.dialect, findings: [] }
  const orders = all.flatMap((one) =>
    'order' in one ? [one.order] : 'policy' in one ? targetsOf(one.policy, world) : [],
  )
  const first = orders.find(({ dialect }) => dialect !== undefined)
  const dialect = first?.dialect ?? 'duration'
  const other = orders.find((order) => order.dialect !== undefined && order.dialect !== dialect)
  if (first === undefined || other === undefined) return { dialect, findings: [] }
  const sentence = `Order ${first.name} uses dialect ${dialect}, Order ${other.name} uses ${other.dialect}`
  return { dialect, findings: [finding('DialectMixed', sentence, { subject: other.subject })] }
}

/**
 * Returns the Orders in DaemonSet mode that a policy sizes, if they can be read; planning reports those that cannot.
 */
function targetsOf(policy: SizingSettings, world: World): OrderSettings[] {
  if (!policy.enabled || policy.suspended) return []
  const targets = world.named(policy.target).filter(({ object }) => isDaemonOrder(object))
  return targets.flatMap(({ object }) => readOrder(object).value ?? [])
}
