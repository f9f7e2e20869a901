import { type SnapshotParts, snapshotFromParts } from '../../inventory/index.ts'
import { timeText } from '../../kube/index.ts'
import type { Connection } from '../api/connection.ts'
import { Reflector } from '../api/reflector.ts'
import type { EngineContext } from '../context.ts'
import { type Collector, type Informer, type MakeInformer, PART_NAMES, type PartName } from './collector.ts'
import { eventsCollector } from './events.ts'
import { type OwnDaemonSet, ownDaemonSetInformer } from './own-daemonsets.ts'
import { podsCollector } from './pods.ts'
import { claimsCollector, ticketsCollector } from './reservations.ts'
import { UsageCollector } from './usage.ts'

export interface CollectOptions {
  /** What to collect; other names, such as `nodes`, are ignored. */
  readonly collect: readonly string[]
  readonly connection: Connection
  /** Gives the present names of the nodes. */
  readonly nodes: () => Iterable<string>
  /**
   * Called when a Ticket or a claim changes, since that may change what is rendered, and once when all parts are known
   * for the first time. Pods, usage and Events change all the time: the next evaluation sees them.
   */
  readonly onChange: () => void
  readonly pageSize?: number
  /** Milliseconds, as of a Reflector. */
  readonly relistInterval?: number
  readonly context: EngineContext
}

/** The running collectors. */
export interface Collecting {
  /** The parts that are not known yet. An evaluation without them would remove from Git what it has of them. */
  waitingFor(): PartName[]
  /** The parts at this time, in milliseconds since 1970. */
  parts(now: number): SnapshotParts[]
  /** Resolves when all collectors have ended, after the signal was aborted; never rejects. */
  readonly ended: Promise<void>
}

/** Starts the collectors, which run until the signal is aborted. */
export function startCollectors(options: CollectOptions, signal: AbortSignal): Collecting {
  const { connection, nodes, pageSize, relistInterval, context, onChange } = options
  const collectors: Collector[] = []
  const waitingFor = () => collectors.flatMap(({ name, isSynced }) => (isSynced ? [] : [name]))
  let isAnnounced = false
  const announceSync = () => {
    if (isAnnounced || waitingFor().length > 0) return
    isAnnounced = true
    onChange()
  }
  const makeInformer: MakeInformer = (resource) =>
    new Reflector({
      ...{ connection, pageSize, relistInterval, context, ...resource },
      onChange: () => {
        resource.onChange()
        announceSync()
      },
    })
  let ownDaemonSets: Informer<OwnDaemonSet> | undefined
  const daemonSets = () => {
    ownDaemonSets ??= ownDaemonSetInformer(makeInformer)
    return ownDaemonSets
  }
  const common = { connection, makeInformer, onChange, context }
  const make: Record<PartName, () => Collector> = {
    pods: () => podsCollector(makeInformer, nodes),
    usage: () => new UsageCollector({ connection, context, daemonSets: daemonSets(), onPoll: announceSync }),
    events: () => eventsCollector(makeInformer, daemonSets()),
    tickets: () => ticketsCollector(common),
    claims: () => claimsCollector(common),
  }
  for (const name of PART_NAMES) if (options.collect.includes(name)) collectors.push(make[name]())
  // each has its own signal: Node.js warns of a leak where one signal has many listeners
  const running = [...collectors, ...(ownDaemonSets === undefined ? [] : [ownDaemonSets])].map((collector) =>
    collector.start(AbortSignal.any([signal])),
  )
  return {
    waitingFor,
    parts: (now) => collectors.map((collector) => collector.part(now)),
    ended: Promise.all(running).then(() => undefined),
  }
}

/**
 * The WorkloadSnapshot of the parts; undefined where all are absent. `now` must be the time of the inventory beside it:
 * the result depends on nothing else.
 */
export function workloadSnapshot(
  parts: readonly SnapshotParts[],
  { cluster, name, now }: { readonly cluster: string; readonly name: string; readonly now: Date },
): Record<string, unknown> | undefined {
  const all: SnapshotParts = Object.assign({}, ...parts)
  if (Object.values(all).every((part) => part === undefined)) return undefined
  return snapshotFromParts(all, { name, cluster, observedAt: timeText(now) })
}
