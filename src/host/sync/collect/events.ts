import type { SnapshotParts } from '../../../facts/inventory/index.ts'
import { KORDER } from '../../../kinds/index.ts'
import { apiGroup } from '../../../krm/identity.ts'
import { memberOf } from '../../../krm/map.ts'
import { isTime, timeText } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { Collector, Informer, MakeInformer } from './collector.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'

/** Collects warnings about our own objects, nodes and pods. An Event starts no evaluation: the next one sees it. */
export function eventsCollector(makeInformer: MakeInformer, daemonSets: Informer<OwnDaemonSet>): Collector {
  const events = makeInformer<KeptEvent>({
    path: '/api/v1/events',
    resource: 'events',
    query: { fieldSelector: 'type=Warning' },
    trim: keptEvent,
    onChange: () => {},
  })
  const isSynced = () => events.isSynced && daemonSets.isSynced
  return {
    name: 'events',
    start: (signal) => events.start(signal),
    get isSynced() {
      return isSynced()
    },
    part: () => (isSynced() ? { events: eventRows(events.items().values(), daemonSets.items().values()) } : {}),
  }
}

type Row = NonNullable<SnapshotParts['events']>[number] & { count: number; lastSeen: string }

const MAX_ROWS = 100
const NODE_PREFIX = 'Node/'
/** The object of the Events of a namespace's pods that are not ours. */
const OTHER_PODS = /^Pod\/[^/]+\/\*$/
/** korder's name prefix of the pod that reserves the resources of a Ticket. */
const GUARDIAN_PREFIX = 'korder-guardian-'
/** A pod's name is the name of its DaemonSet with a dash, cut to this length, and five random characters. */
const MAX_BASE_LENGTH = 58
const POD_SUFFIX = /[bcdfghjklmnpqrstvwxz2456789]{5}$/

/**
 * One row for each object and reason, with the Events of both added up. Events of a DaemonSet's pod count for the
 * DaemonSet, those of a guardian for its Ticket, those of a node for the node, those of other pods for their namespace.
 * At most 100 rows: our own objects before nodes, nodes before other pods, and the latest first; then sorted by object.
 */
export function eventRows(events: Iterable<KeptEvent>, daemonSets: Iterable<OwnDaemonSet>): Row[] {
  const byName = new Map<string, OwnDaemonSet>()
  const byPodBase = new Map<string, OwnDaemonSet>()
  for (const daemonSet of daemonSets) {
    const { namespace, name } = daemonSet
    byName.set(`${namespace}/${name}`, daemonSet)
    byPodBase.set(`${namespace}/${`${name}-`.slice(0, MAX_BASE_LENGTH)}`, daemonSet)
  }
  const rows = new Map<string, Row>()
  for (const event of events) {
    const about = rowObject(event, byName, byPodBase)
    if (about === undefined) continue
    const { reason, count, lastSeen } = event
    const id = JSON.stringify([about.object, reason, about.uid])
    const row = rows.get(id)
    if (row === undefined) rows.set(id, { ...about, reason, count, lastSeen })
    else {
      row.count += count
      if (row.lastSeen < lastSeen) row.lastSeen = lastSeen
    }
  }
  const rank = ({ object }: Row) => (OTHER_PODS.test(object) ? 2 : object.startsWith(NODE_PREFIX) ? 1 : 0)
  return [...rows]
    .sort(
      ([a, left], [b, right]) =>
        rank(left) - rank(right) || compareText(right.lastSeen, left.lastSeen) || compareText(a, b),
    )
    .slice(0, MAX_ROWS)
    .sort(([a], [b]) => compareText(a, b))
    .map(([, { uid, reason, object, count, lastSeen }]) => ({ ...(uid && { uid }), reason, object, count, lastSeen }))
}

/** The object that an Event counts for; undefined for one that is not ours. */
function rowObject(
  { kind, namespace, name, uid }: KeptEvent,
  byName: ReadonlyMap<string, OwnDaemonSet>,
  byPodBase: ReadonlyMap<string, OwnDaemonSet>,
): { object: string; uid?: string } | undefined {
  if (kind === 'Node') return { object: `${NODE_PREFIX}${name}`, uid }
  if (kind === 'DaemonSet')
    return byName.has(`${namespace}/${name}`) ? { object: `${kind}/${namespace}/${name}`, uid } : undefined
  if (kind !== 'Pod') return { object: `${kind}/${namespace}/${name}`, uid }
  if (name.startsWith(GUARDIAN_PREFIX)) return { object: `Ticket/${namespace}/${name.slice(GUARDIAN_PREFIX.length)}` }
  const daemonSet = POD_SUFFIX.test(name) ? byPodBase.get(`${namespace}/${name.replace(POD_SUFFIX, '')}`) : undefined
  // the names of other pods are nobody's business who reads the repository
  return daemonSet === undefined
    ? { object: `${kind}/${namespace}/*` }
    : { object: `DaemonSet/${namespace}/${daemonSet.name}`, uid: daemonSet.uid }
}

function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1
}

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
const REASONS: Readonly<Record<string, readonly string[]>> = {
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
