import type { SnapshotParts } from '../../inventory/index.ts'
import type { Collector, Watch, Watched } from './collector.ts'
import { type KeptEvent, keptEvent } from './kept-event.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'

/** Warnings about our own objects. They are news and no state: they ask for no evaluation, and the next one sees them. */
export function eventsCollector(watch: Watch, daemonSets: Watched<OwnDaemonSet>): Collector {
  const events = watch<KeptEvent>({
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
    part: () => (isSynced() ? { events: foldEvents(events.items().values(), daemonSets.items().values()) } : {}),
  }
}

type Row = NonNullable<SnapshotParts['events']>[number] & { count: number; lastSeen: string }

/** The most that are told. */
const MOST = 100
const NODE = 'Node/'
/** What korder calls the pod that holds the room of a Ticket. */
const GUARDIAN = 'korder-guardian-'
/** A pod's name is that of its DaemonSet, cut to this, and five characters. */
const LONGEST_BASE = 58
const SUFFIX = /[bcdfghjklmnpqrstvwxz2456789]{5}$/

/**
 * The events of our own objects, those of one object and reason as one: a DaemonSet's pods count as the DaemonSet, a guardian as its
 * Ticket, and nodes as themselves. At most 100, what is our own before nodes and the latest first; in the order of their objects.
 */
export function foldEvents(events: Iterable<KeptEvent>, daemonSets: Iterable<OwnDaemonSet>): Row[] {
  const own = new Map<string, OwnDaemonSet>()
  const byBase = new Map<string, OwnDaemonSet>()
  for (const one of daemonSets) {
    own.set(`${one.namespace}/${one.name}`, one)
    byBase.set(`${one.namespace}/${`${one.name}-`.slice(0, LONGEST_BASE)}`, one)
  }
  const rows = new Map<string, Row>()
  for (const event of events) {
    const about = objectOf(event, own, byBase)
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
  const isNode = ({ object }: Row) => Number(object.startsWith(NODE))
  return [...rows]
    .sort(
      ([a, left], [b, right]) =>
        isNode(left) - isNode(right) || compare(right.lastSeen, left.lastSeen) || compare(a, b),
    )
    .slice(0, MOST)
    .sort(([a], [b]) => compare(a, b))
    .map(([, { uid, reason, object, count, lastSeen }]) => ({ ...(uid && { uid }), reason, object, count, lastSeen }))
}

/** What an event counts for; undefined for what is not ours. */
function objectOf(
  { kind, namespace, name, uid }: KeptEvent,
  own: ReadonlyMap<string, OwnDaemonSet>,
  byBase: ReadonlyMap<string, OwnDaemonSet>,
): { object: string; uid?: string } | undefined {
  if (kind === 'Node') return { object: `${NODE}${name}`, uid }
  if (kind === 'DaemonSet')
    return own.has(`${namespace}/${name}`) ? { object: `${kind}/${namespace}/${name}`, uid } : undefined
  if (kind !== 'Pod') return { object: `${kind}/${namespace}/${name}`, uid }
  if (name.startsWith(GUARDIAN)) return { object: `Ticket/${namespace}/${name.slice(GUARDIAN.length)}` }
  const daemonSet = SUFFIX.test(name) ? byBase.get(`${namespace}/${name.replace(SUFFIX, '')}`) : undefined
  return daemonSet && { object: `DaemonSet/${namespace}/${daemonSet.name}`, uid: daemonSet.uid }
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1
}
