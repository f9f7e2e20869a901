import { createHash } from 'node:crypto'
import { isDeepEqual, isMap } from '../../krm/map.ts'
import { BEGUN, GENERATION, SPEC_HASH } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type Affinity, isLabelValue, isTime, timeText } from '../../kube/index.ts'
import { canonical, copyableAnnotations, withoutForeignMarks } from '../../object/index.ts'
import { KORDER, ORDER_DEFAULTS } from '../../policy/index.ts'
import { requiredTerms, withRequired } from '../../sizing/index.ts'
import { type Dialect, type OrderSettings, timeFields } from '../order/read-order.ts'
import { bareToleration } from '../order/sized-order.ts'

/** One Ticket, and the node it reserves on. */
export interface TicketPlan {
  readonly object: KubernetesObject
  readonly node: string
}

/** The Order that a Ticket is of. */
export const TICKET_GROUP = 'korder.dev/ticket-group'

const { lifecycle: LIFECYCLE, resources: RESOURCES, schedulerName: SCHEDULER } = ORDER_DEFAULTS.template.spec

export type Pin = 'affinity' | 'nodeName'

/** How Tickets are written in a run. */
export interface TicketStyle {
  readonly dialect: Dialect
  readonly pin: Pin
  readonly orderLabel: boolean
}

/** What all Tickets of an Order have in common, made once. */
export interface TicketPrototype {
  readonly hash: string
  /** The Ticket of a node; `begun` is when its generation was first rendered, where that is remembered. */
  make(identity: { name: string; node: string; generation: string; begun?: string }): KubernetesObject
}

/**
 * The Tickets of an Order, each with every field that korder would default written out, quantities and durations as the
 * API server prints them, and pinned to its node (research: korder sections 1.6, 4.1 and 4.6).
 */
export function prototypeOf(order: OrderSettings, style: TicketStyle): TicketPrototype {
  const spec = canonical(specOf(order, style.dialect)) as Record<string, unknown>
  const hash = specHash(hashText(order, style.pin))
  const labels = {
    ...withoutForeignMarks(order.labels),
    ...(style.orderLabel && isLabelValue(order.name) ? { 'korder.dev/order': order.name } : {}),
  }
  const annotations = { ...copyableAnnotations(order.annotations), [TICKET_GROUP]: order.name }
  return {
    hash,
    make: ({ name, node, generation, begun }) => ({
      apiVersion: KORDER,
      kind: 'Ticket',
      metadata: {
        annotations: sorted({
          ...annotations,
          ...(begun === undefined ? {} : { [BEGUN]: begun }),
          ...(generation === '' ? {} : { [GENERATION]: generation }),
          [SPEC_HASH]: hash,
        }),
        ...withLabels(sorted({ ...labels, ...(isLabelValue(node) ? { 'korder.dev/node': node } : {}) })),
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

/** What is empty says nothing, and the API server leaves it out; an empty affinity term does say something. */
function withoutEmpty<T extends object>(map: T): T {
  const isEmpty = (value: unknown) =>
    value === '' || value === null || (typeof value === 'object' && Object.keys(value as object).length === 0)
  const entries = Object.entries(map).map(([key, value]): [string, unknown] => {
    return [key, isMap(value) && key !== 'requiredDuringSchedulingIgnoredDuringExecution' ? withoutEmpty(value) : value]
  })
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value))) as T
}

/** Free of the dialect, so that a change of korder's version renames nothing. */
function hashText(order: OrderSettings, pin: Pin): string {
  const { duration, timeZone } = order
  const startTime = order.startTime === undefined ? '' : timeText(order.startTime)
  const spec = canonical(specOf(order, 'duration')) as Record<string, unknown>
  const identity = [pin, { ...spec, duration: undefined, startTime: undefined }, String(duration), startTime, timeZone]
  return JSON.stringify(identity, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/** Bound to a node: by its name in every required term, as DaemonSets do, or past the scheduler by nodeName. */
function pinned(spec: Record<string, unknown>, node: string, pin: Pin): Record<string, unknown> {
  if (pin === 'nodeName') return sorted({ ...spec, nodeName: node })
  const affinity = spec.affinity as Affinity | undefined
  const field = { key: 'metadata.name', operator: 'In', values: [node] }
  const terms = requiredTerms(affinity) ?? [{}]
  const bound = terms.map((term) => {
    const others = (term.matchFields ?? []).filter((one) => !isDeepEqual(one, field))
    return { ...term, matchFields: [...others, field] }
  })
  return sorted({ ...spec, affinity: withRequired(affinity, bound) })
}

/**
 * korder's later versions fill in the start of a window with the time at which a Ticket is made; without one of its own
 * it has begun.
 */
function started(spec: Record<string, unknown>, begun: string | undefined): Record<string, unknown> {
  const { window } = spec as { window?: { startTime?: string } }
  if (window === undefined || window.startTime !== undefined || begun === undefined || !isTime(begun)) return spec
  return { ...spec, window: sorted({ ...window, startTime: timeText(begun) }) }
}

function withLabels(labels: Record<string, string>): { labels?: Record<string, string> } {
  return Object.keys(labels).length > 0 ? { labels } : {}
}

function sorted<T extends object>(map: T): T {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))) as T
}

const STEM_LENGTH = 52
const DIGITS = 10
const HASH_LENGTH = 16

/** What a Ticket is, whatever it is called: another of any of these is another Ticket. */
export interface TicketIdentity {
  readonly namespace: string
  readonly order: string
  readonly node: string
  /** Of the node; empty where only its name counts. */
  readonly uid: string
  readonly specHash: string
  /** The fire time it was made for; empty where it is not refreshed. */
  readonly generation: string
}

/** The digits of a Ticket's name: the first ten of SHA-256 over its identity, in hex. */
export function digitsOf({ namespace, order, node, uid, specHash, generation }: TicketIdentity): string {
  return sha256([namespace, order, node, uid, specHash, generation].join('/')).slice(0, DIGITS)
}

/**
 * The name of a Ticket: `<order>-<node>` cut to 52 characters, and the digits. At most 63, since korder writes it into
 * a label of the guardian pod; never an index, since the set of nodes changes (research: korder section 5.2).
 */
export function ticketName(identity: TicketIdentity): string {
  const stem = `${identity.order}-${identity.node}`.slice(0, STEM_LENGTH).replace(/[-.]+$/, '')
  return `${stem}-${digitsOf(identity)}`
}

/** A short hash of what a guardian pod is, by which a changed template leads to new Tickets. */
export function specHash(canonicalJson: string): string {
  return sha256(canonicalJson).slice(0, HASH_LENGTH)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
