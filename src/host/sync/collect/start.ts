import { once, type PlannedAction } from '../../../core/index.ts'
import { type SnapshotParts, snapshotFromParts, type UsageRow } from '../../../facts/inventory/index.ts'
import { Schedule, timeText } from '../../../kube/index.ts'
import type { Connection } from '../../cluster/connection.ts'
import { Reflector } from '../api/reflector.ts'
import { Components, supervise } from '../components.ts'
import type { EngineContext } from '../context.ts'
import type { ProjectedNode } from '../nodes/projected-node.ts'
import { mergeOutcomes, type Outcome } from './action-outcomes.ts'
import { ActionsCollector } from './actions.ts'
import { CapacityCollector } from './capacity.ts'
import {
  type Collector,
  type Informer,
  type MakeInformer,
  type NamedTargets,
  PART_NAMES,
  type PartName,
} from './collector.ts'
import { eventsCollector } from './events.ts'
import { claimsCollector, machinesCollector, poolsCollector, ticketsCollector } from './optional-resource.ts'
import { type OwnDaemonSet, ownDaemonSetInformer } from './own-daemonsets.ts'
import { IdleNodes, PendingCollector } from './pending.ts'
import { podsCollector } from './pods.ts'
import { UsageCollector, type UsageOptions } from './usage.ts'
import type { RowInGit } from './usage-rows.ts'
import type { HeldLimit } from './usage-settling.ts'
import {
  daemonSetInformer,
  measuredDaemonSet,
  selectedDaemonSets,
  troubledPodInformer,
  workloadsCollector,
} from './workloads.ts'

export interface CollectOptions {
  /** What to collect; other names, such as `nodes`, are ignored. */
  readonly collect: readonly string[]
  readonly connection: Connection
  /** Gives the present names of the nodes. */
  readonly nodes: () => Iterable<string>
  /** Gives the present nodes, for their sums. */
  readonly nodeShapes?: () => Iterable<ProjectedNode>
  /** Gives the DaemonSets that policies name; undefined where that is not known yet. */
  readonly targets?: () => NamedTargets | undefined
  /** Gives the signed actions of the newest render; undefined before the first. */
  readonly actions?: () => readonly PlannedAction[] | undefined
  /** The namespace of their Jobs. */
  readonly actionsNamespace?: string
  /** How usage is measured and settled. Default: measured, by this process, and kept nowhere. */
  readonly usage?: Partial<UsageSettings>
  /** Remembers since when nodes are idle. */
  readonly idle?: IdleNodes
  /** What the meter of the context remembers. */
  readonly components?: Components
  /**
   * Called when a Ticket, claim, pool or machine changes or a pod begins to wait for a node, since that may change what
   * is rendered, and once when all parts are known for the first time. Other pods, usage and Events change all the
   * time: the next evaluation sees them.
   */
  readonly onChange: () => void
  readonly pageSize?: number
  /** Milliseconds, as of a Reflector. */
  readonly relistInterval?: number
  readonly context: EngineContext
}

/** How usage is measured and settled. */
export type UsageSettings = Pick<UsageOptions, 'policies' | 'leads' | 'schedule' | 'retain' | 'history' | 'isWriter'>

const USAGE_DEFAULTS: UsageSettings = {
  policies: () => undefined,
  leads: () => true,
  schedule: Schedule.parse('0 9 * * 2'),
  retain: 0,
  isWriter: false,
}

/** The running collectors. */
export interface Collecting {
  /** The parts that are not known yet. An evaluation without them would remove from Git what it has of them. */
  waitingFor(): PartName[]
  /** The parts at this time, in milliseconds since 1970. */
  parts(now: number): SnapshotParts[]
  /** Takes what Git tells of outcomes of actions. */
  remember(outcomes: readonly Outcome[]): void
  /** Takes the rows of usage that Git has; where usage is not collected they stay as they are. */
  rememberUsage(inGit: ReadonlyMap<string, RowInGit>): void
  /** The limits that are not raised at this time though kills ask for it. */
  heldLimits(now: number): readonly HeldLimit[]
  /** Resolves when all collectors have ended, after the signal was aborted; never rejects. */
  readonly ended: Promise<void>
}

/** Starts the collectors, which run until the signal is aborted. */
export function startCollectors(options: CollectOptions, signal: AbortSignal): Collecting {
  const {
    connection,
    nodes,
    nodeShapes = () => [],
    targets = () => undefined,
    actions: planned = () => undefined,
    actionsNamespace: namespace = 'nodefit-actions',
    components = new Components(),
    idle = new IdleNodes(),
    pageSize,
    relistInterval,
    context,
    onChange,
  } = options
  const collectors: Collector[] = []
  let kept: readonly Outcome[] = []
  let keptUsage: UsageRow[] | undefined
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
  // the watch of pending gives what that of pods does
  const isShared = (name: PartName) => name === 'pods' && options.collect.includes('pending')
  const collected = PART_NAMES.filter((name) => options.collect.includes(name) && !isShared(name))
  const hasWorkloads = collected.includes('workloads')
  const common = { connection, makeInformer, onChange, context }
  const allDaemonSets = once(() => daemonSetInformer(makeInformer))
  const daemonSets = once(
    (): Informer<OwnDaemonSet> =>
      hasWorkloads
        ? selectedDaemonSets(allDaemonSets(), ({ own: rendered }) => rendered)
        : ownDaemonSetInformer(makeInformer),
  )
  const measured = once(() =>
    hasWorkloads ? selectedDaemonSets(allDaemonSets(), (seen) => measuredDaemonSet(seen, targets())) : daemonSets(),
  )
  const usage = once(
    () =>
      new UsageCollector({
        ...{ connection, context, makeInformer, daemonSets: daemonSets(), measured: measured(), nodes: nodeShapes },
        ...{ ...USAGE_DEFAULTS, ...options.usage, onPoll: announceSync, onChange },
      }),
  )
  const pods = once(() => podsCollector(makeInformer, nodes))
  const pending = once(() => new PendingCollector({ makeInformer, nodes: nodeShapes, idle, onChange }))
  const podsByName = (['pending', 'pods'] as const).find((name) => collected.includes(name))
  const hasPod = podsByName && ((pod: string) => (podsByName === 'pods' ? pods() : pending()).has(pod))
  const actions = once(
    () =>
      new ActionsCollector({
        ...{ connection, context, makeInformer, onChange },
        nodes: nodeShapes,
        planned,
        namespace,
      }),
  )
  const make: Record<PartName, () => Collector> = {
    pods,
    pending,
    usage,
    events: () => eventsCollector(makeInformer, measured()),
    tickets: () => ticketsCollector(common, hasPod),
    claims: () => claimsCollector(common),
    pools: () => poolsCollector(common),
    machines: () => machinesCollector(common),
    workloads: () => {
      const troubled = troubledPodInformer(makeInformer)
      return workloadsCollector({ daemonSets: allDaemonSets(), pods: troubled, usage: usage(), targets })
    },
    capacity: () => new CapacityCollector({ connection, context, nodes: nodeShapes, onPoll: announceSync }),
    components: () => componentsCollector(components),
    actions,
  }
  for (const name of collected) collectors.push(make[name]())
  const running: Array<readonly [name: string, part: { start(signal: AbortSignal): Promise<unknown> }]> = [
    ...collectors.map((collector) => [collector.name, collector] as const),
    ...(hasWorkloads && !collected.includes('usage') ? [['usage', usage()] as const] : []),
    ...(collected.some((name) => NEEDS_DAEMON_SETS.has(name)) ? [['daemonsets', daemonSets()] as const] : []),
  ]
  const ended = Promise.all(
    // each has its own signal: Node.js warns of a leak where one signal has many listeners
    running.map(([name, part]) =>
      supervise(`collect-${name}`, (own) => part.start(own), context, AbortSignal.any([signal])),
    ),
  ).then(() => undefined)
  return {
    waitingFor,
    parts: (now) => [
      ...collectors.map((collector) => collector.part(now)),
      // an act that succeeded would run again where nothing told of it any more
      // sizes are made of rows, whether or not somebody still measures
      ...(keptUsage === undefined ? [] : [{ usage: keptUsage }]),
      ...(kept.length === 0 ? [] : [{ outcomes: kept.filter(({ keepUntil = '' }) => Date.parse(keepUntil) > now) }]),
    ],
    remember: (outcomes) => {
      if (collected.includes('actions')) actions().remember(outcomes)
      else kept = mergeOutcomes(outcomes, kept)
    },
    rememberUsage: (inGit) => {
      if (collected.includes('usage')) usage().remember(inGit)
      else keptUsage = [...inGit.values()].map(({ row }) => row)
    },
    heldLimits: (now) => (collected.includes('usage') ? usage().held(now) : []),
    ended,
  }
}

/** The parts that need the DaemonSets of the cluster. */
const NEEDS_DAEMON_SETS: ReadonlySet<PartName> = new Set(['usage', 'events', 'workloads'])

/** The state of the components at the time of the snapshot. */
function componentsCollector(components: Components): Collector {
  return {
    name: 'components',
    async start(signal) {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
    isSynced: true,
    part: () => ({ components: components.rows() }),
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
