import { canonical, copyableAnnotations, sha256, withoutForeignMarks } from '../../../core/object/index.ts'
import type { LiveTicket } from '../../../facts/inventory/index.ts'
import { KORDER, ORDER_DEFAULTS } from '../../../kinds/index.ts'
import { isDeepEqual, isMap, sortedByKey } from '../../../krm/map.ts'
import { BEGUN, GENERATION, SPEC_HASH } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { type Affinity, isLabelValue, isTime, timeText } from '../../../kube/index.ts'
import { requiredTerms, withRequired } from '../../sizing/index.ts'
import { type Dialect, type OrderSettings, timeFields } from '../order/read-order.ts'
import { bareToleration } from '../order/sized-order.ts'

/** One Ticket and the node it reserves on. */
export interface TicketPlan {
  readonly object: KubernetesObject
  readonly node: string
}

/** Label with the name of the Ticket's Order, by which korder counts and deletes. */
export const ORDER_LABEL = 'korder.dev/order'

/** Annotation with the name of the Ticket's Order. */
export const TICKET_GROUP = 'korder.dev/ticket-group'

const { lifecycle: LIFECYCLE, resources: RESOURCES, schedulerName: SCHEDULER } = ORDER_DEFAULTS.template.spec

type Pin = 'affinity' | 'nodeName'

/** How Tickets are written in a run. */
export interface TicketStyle {
  readonly dialect: Dialect
  readonly pin: Pin
  readonly orderLabel: boolean
}

/** The parts that all Tickets of an Order share, computed once. */
interface TicketPrototype {
  readonly hash: string
  /** Returns the Ticket of a node; `begun` is when its generation was first rendered, undefined if that is unknown. */
  make(identity: { name: string; node: string; generation: string; begun?: string }): KubernetesObject
}

/**
 * Returns the prototype of an Order's Tickets: every field that korder would default is written out, quantities and
 * durations are as the API server prints them, and each Ticket is pinned to its node (research: korder sections 1.6,
 * 4.1 and 4.6).
 */
export function prototypeOf(order: OrderSettings, style: TicketStyle): TicketPrototype {
  const spec = canonical(specOf(order, style.dialect)) as Record<string, unknown>
  const hash = specHash(hashText(order, style.pin))
  const labels = {
    ...withoutForeignMarks(order.labels),
    ...(style.orderLabel && isLabelValue(order.name) ? { [ORDER_LABEL]: order.name } : {}),
  }
  const annotations = { ...copyableAnnotations(order.annotations), [TICKET_GROUP]: order.name }
  return {
    hash,
    make: ({ name, node, generation, begun }) => ({
      apiVersion: KORDER,
      kind: 'Ticket',
      metadata: {
        annotations: sortedByKey({
          ...annotations,
          ...(begun === undefined ? {} : { [BEGUN]: begun }),
          ...(generation === '' ? {} : { [GENERATION]: generation }),
          [SPEC_HASH]: hash,
        }),
        ...withLabels(sortedByKey({ ...labels, ...(isLabelValue(node) ? { 'korder.dev/node': node } : {}) })),
        name,
        ...(order.namespace === undefined ? {} : { namespace: order.namespace }),
      },
      spec: pinned(started(spec, begun), node, style.pin),
    }),
  }
}

function specOf(order: OrderSettings, dialect: Dialect): Record<string, unknown> {
  const { lifecycle, resources, schedulerName, tolerations, ...rest } = withoutEmpty(order.pod)
  const cleanupPolicy = lifecycle?.cleanupPolicy ?? LIFECYCLE.cleanupPolicy
  const ttlSecondsAfterFinished = lifecycle?.ttlSecondsAfterFinished ?? LIFECYCLE.ttlSecondsAfterFinished
  return {
    ...rest,
    ...timeFields(order, dialect),
    lifecycle: cleanupPolicy === 'Retain' ? { cleanupPolicy } : { cleanupPolicy, ttlSecondsAfterFinished },
    resources: resources ?? RESOURCES,
    schedulerName: schedulerName ?? SCHEDULER,
    ...(tolerations === undefined ? {} : { tolerations: tolerations.map(bareToleration) }),
  }
}

/**
 * Removes empty values, as the API server omits them; but not within required affinity, where an empty term has a
 * meaning.
 */
function withoutEmpty<T extends object>(map: T): T {
  const isEmpty = (value: unknown) =>
    value === '' || value === null || (typeof value === 'object' && Object.keys(value as object).length === 0)
  const entries = Object.entries(map).map(([key, value]): [string, unknown] => {
    return [key, isMap(value) && key !== 'requiredDuringSchedulingIgnoredDuringExecution' ? withoutEmpty(value) : value]
  })
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value))) as T
}

/** Returns the text to hash; it does not depend on the dialect, so that a new version of korder renames no Ticket. */
function hashText(order: OrderSettings, pin: Pin): string {
  const { duration, timeZone } = order
  const startTime = order.startTime === undefined ? '' : timeText(order.startTime)
  const spec = canonical(specOf(order, 'duration')) as Record<string, unknown>
  const identity = [pin, { ...spec, duration: undefined, startTime: undefined }, String(duration), startTime, timeZone]
  return JSON.stringify(identity, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/**
 * Pins a spec to a node: by the node's name in every required term, as the DaemonSet controller does, or by nodeName,
 * which bypasses the scheduler.
 */
function pinned(spec: Record<string, unknown>, node: string, pin: Pin): Record<string, unknown> {
  if (pin === 'nodeName') return sortedByKey({ ...spec, nodeName: node })
  const affinity = spec.affinity as Affinity | undefined
  const field = { key: 'metadata.name', operator: 'In', values: [node] }
  const terms = requiredTerms(affinity) ?? [{}]
  const bound = terms.map((term) => {
    const others = (term.matchFields ?? []).filter((one) => !isDeepEqual(one, field))
    return { ...term, matchFields: [...others, field] }
  })
  return sortedByKey({ ...spec, affinity: withRequired(affinity, bound) })
}

/**
 * Sets the start of a window to the time at which the Ticket began, unless the Order sets one: later versions of korder
 * would default it to the creation time of the Ticket.
 */
function started(spec: Record<string, unknown>, begun: string | undefined): Record<string, unknown> {
  const { window } = spec as { window?: { startTime?: string } }
  if (window === undefined || window.startTime !== undefined || begun === undefined || !isTime(begun)) return spec
  return { ...spec, window: sortedByKey({ ...window, startTime: timeText(begun) }) }
}

function withLabels(labels: Record<string, string>): { labels?: Record<string, string> } {
  return Object.keys(labels).length > 0 ? { labels } : {}
}

const STEM_LENGTH = 52
const DIGITS = 10
const HASH_LENGTH = 16

/** The values that identify a Ticket; if one of them changes, the Ticket is replaced by another. */
export interface TicketIdentity {
  readonly namespace: string
  readonly order: string
  readonly node: string
  /** The uid of the node; empty if only its name counts. */
  readonly uid: string
  readonly specHash: string
  /** The generation; empty if the Ticket has never been refreshed or renewed. */
  readonly generation: string
}

/** Returns the digits of a Ticket's name: the first ten of the SHA-256 of its identity, in hex. */
export function digitsOf({ namespace, order, node, uid, specHash, generation }: TicketIdentity): string {
  return sha256([namespace, order, node, uid, specHash, generation].join('/')).slice(0, DIGITS)
}

/**
 * Returns the name of a Ticket: `<order>-<node>` cut to 52 characters, and the digits. It has at most 63 characters,
 * since korder writes it into a label of the guardian pod. It contains no index, since the set of nodes changes
 * (research: korder section 5.2).
 */
export function ticketName(identity: TicketIdentity): string {
  const stem = `${identity.order}-${identity.node}`.slice(0, STEM_LENGTH).replace(/[-.]+$/, '')
  return `${stem}-${digitsOf(identity)}`
}

/** Returns a short hash of a guardian pod's spec, so that a changed template leads to new Tickets. */
function specHash(canonicalJson: string): string {
  return sha256(canonicalJson).slice(0, HASH_LENGTH)
}

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
interface GenerationInput {
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
