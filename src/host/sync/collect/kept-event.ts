import { KORDER } from '../../../kinds/index.ts'
import { apiGroup } from '../../../krm/identity.ts'
import { memberOf } from '../../../krm/map.ts'
import { isTime, timeText } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'

/** The part of an Event that is cached. */
export interface KeptEvent {
  /** The object that it is about. */
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
  readonly reason: string
  readonly count: number
  /** RFC 3339, to the minute. */
  readonly lastSeen: string
}

const RESERVATION_REASONS = ['FailedScheduling', 'FailedCreate', 'Evicted', 'Preempted']

/**
 * The reasons that concern sizes and reservations, by the kind of the object that an Event is about: those of the
 * scheduler, of the DaemonSet controller, of the kubelet (admission, eviction, out of memory), and of
 * node-problem-detector.
 */
export const REASONS: Readonly<Record<string, readonly string[]>> = {
  DaemonSet: ['FailedCreate', 'FailedDaemonPod', 'FailedPlacement'],
  Pod: [
    'FailedScheduling',
    'Evicted',
    'Preempted',
    'OOMKilling',
    'OutOfcpu',
    'OutOfmemory',
    'OutOfpods',
    'OutOfephemeral-storage',
  ],
  Ticket: RESERVATION_REASONS,
  Order: RESERVATION_REASONS,
  Node: ['SystemOOM', 'OOMKilling', 'EvictionThresholdMet'],
}

const MINUTE = 60_000

/**
 * The cached part of an Event of core/v1 or events.k8s.io; undefined for another kind of object, another reason, or no
 * valid time.
 */
export function keptEvent(event: KubeObject): KeptEvent | undefined {
  const about = memberOf(event, 'involvedObject')
  const kind = textIn(about, 'kind')
  const name = textIn(about, 'name')
  const reason = textIn(event, 'reason')
  if (kind === undefined || name === undefined || reason === undefined) return undefined
  if (!Object.hasOwn(REASONS, kind) || !REASONS[kind]?.includes(reason)) return undefined
  const isReservation = kind === 'Ticket' || kind === 'Order'
  if (isReservation && apiGroup(textIn(about, 'apiVersion') ?? '') !== apiGroup(KORDER)) return undefined
  const series = memberOf(event, 'series')
  const times = [
    textIn(series, 'lastObservedTime'),
    textIn(event, 'lastTimestamp'),
    textIn(event, 'eventTime'),
    textIn(event.metadata, 'creationTimestamp'),
  ]
  const time = times.find((text) => text !== undefined && isTime(text))
  if (time === undefined) return undefined
  return {
    kind,
    namespace: textIn(about, 'namespace'),
    name,
    uid: textIn(about, 'uid'),
    reason,
    count: countIn(series) ?? countIn(event) ?? 1,
    lastSeen: timeText(Math.floor(Date.parse(time) / MINUTE) * MINUTE),
  }
}

function countIn(value: unknown): number | undefined {
  const count = memberOf(value, 'count')
  return Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : undefined
}

function textIn(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name)
  return typeof text === 'string' && text !== '' ? text : undefined
}
