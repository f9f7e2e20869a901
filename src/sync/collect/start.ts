import { type SnapshotParts, snapshotFromParts } from '../../inventory/index.ts'
import { timeText } from '../../kube/index.ts'
import type { Connection } from '../api/connection.ts'
import { Reflector } from '../api/reflector.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import { COLLECTED, type Collector, type PartName, type Watch, type Watched } from './collector.ts'
import { eventsCollector } from './events.ts'
import { type OwnDaemonSet, watchOwnDaemonSets } from './own-daemonsets.ts'
import { podsCollector } from './pods.ts'
import { claimsCollector, ticketsCollector } from './reservations.ts'
import { UsageCollector } from './usage.ts'

export interface CollectOptions {
  /** What to collect; names of anything else are passed over. */
  readonly collect: readonly string[]
  readonly connection: Connection
  /** The names of the nodes, as they are when a part is asked for. */
  readonly nodes: () => Iterable<string>
  /**
   * Called when something changed that may change what is rendered: a Ticket or a claim, and once when all that is collected is known for
   * the first time. Pods, usage and events change all the time; the next evaluation sees them.
   */
  readonly onChange: () => void
  readonly pageSize?: number
  /** Milliseconds, as a Reflector has it. */
  readonly relistInterval?: number
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
}

/** What collects. */
export interface Collecting {
  /** What is not known yet; an evaluation without it would take away from Git what Git has of it. */
  waitingFor(): PartName[]
  /** What is known at this time, in milliseconds since 1970. */
  parts(now: number): SnapshotParts[]
  /** When all has ended, after the signal was aborted; never rejects. */
  readonly ended: Promise<void>
}

/** Starts what is to be collected, until the signal is aborted. */
export function startCollectors(options: CollectOptions, signal: AbortSignal): Collecting {
  const { connection, nodes, pageSize, relistInterval, clock, meter, log } = options
  const collectors: Collector[] = []
  const waitingFor = () => collectors.flatMap(({ name, isSynced }) => (isSynced ? [] : [name]))
  let isTold = false
  const notice = () => {
    if (isTold || waitingFor().length > 0) return
    isTold = true
    options.onChange()
  }
  const watch: Watch = (watching) =>
    new Reflector({
      ...{ connection, pageSize, relistInterval, clock, meter, log, ...watching },
      onChange: () => {
        watching.onChange()
        notice()
      },
    })
  let own: Watched<OwnDaemonSet> | undefined
  const daemonSets = () => {
    own ??= watchOwnDaemonSets(watch)
    return own
  }
  const needed = { connection, watch, onChange: options.onChange, clock, meter, log }
  const made: Record<PartName, () => Collector> = {
    pods: () => podsCollector(watch, nodes),
    usage: () => new UsageCollector({ ...needed, daemonSets: daemonSets(), onLook: notice }),
    events: () => eventsCollector(watch, daemonSets()),
    tickets: () => ticketsCollector(needed),
    claims: () => claimsCollector(needed),
  }
  for (const name of COLLECTED) if (options.collect.includes(name)) collectors.push(made[name]())
  // a signal of its own for each: Node takes many listeners on one for a leak
  const running = [...collectors, ...(own === undefined ? [] : [own])].map((one) =>
    one.start(AbortSignal.any([signal])),
  )
  return {
    waitingFor,
    parts: (now) => collectors.map((one) => one.part(now)),
    ended: Promise.all(running).then(() => undefined),
  }
}

/**
 * The WorkloadSnapshot of what the collectors know; undefined where they know nothing. It depends on that and the time alone, and the time
 * must be that of the inventory beside it.
 */
export function workloadOf(
  parts: readonly SnapshotParts[],
  { cluster, name, now }: { readonly cluster: string; readonly name: string; readonly now: Date },
): Record<string, unknown> | undefined {
  const all: SnapshotParts = Object.assign({}, ...parts)
  if (Object.values(all).every((part) => part === undefined)) return undefined
  const observedAt = timeText(now)
  return snapshotFromParts(all, { name, cluster, observedAt })
}
