import { inventoryName } from '../../facts/inventory/index.ts'
import { Schedule } from '../../kube/index.ts'
import type { Connection } from '../cluster/connection.ts'
import { list } from '../cluster/list.ts'
import { Reflector } from './api/reflector.ts'
import type { Outcome } from './collect/action-outcomes.ts'
import type { NamedTargets, UsagePolicies } from './collect/collector.ts'
import { IdleNodes } from './collect/pending.ts'
import {
  type Collecting,
  type CollectOptions,
  startCollectors,
  type UsageSettings,
  workloadSnapshot,
} from './collect/start.ts'
import { UsageHistory } from './collect/usage-history.ts'
import type { RowInGit } from './collect/usage-rows.ts'
import type { HeldLimit } from './collect/usage-settling.ts'
import { type Components, supervise } from './components.ts'
import type { SyncConfig } from './config/check-config.ts'
import type { EngineContext } from './context.ts'
import { labelKeysWith, type ProjectedNode, trimNode } from './nodes/projected-node.ts'

/**
 * Milliseconds without contact after which the cached nodes are too old: a watch receives a bookmark every minute or
 * two.
 */
const MAX_SILENCE = 300_000

export interface ClusterCacheOptions {
  readonly config: SyncConfig
  readonly connection: Connection
  readonly context: EngineContext
  /** Gives the DaemonSets that policies name; undefined where that is not known yet. */
  readonly targets: () => NamedTargets | undefined
  /** Gives the signed actions of the newest render; undefined where that is not known yet. */
  readonly actions: CollectOptions['actions']
  /** What policies say of usage; undefined where that is not known yet. */
  readonly policies: () => UsagePolicies | undefined
  /** Whether this process leads. */
  readonly leads: () => boolean
  /** The namespace of what is kept of usage; undefined where nothing is written. */
  readonly keptIn: { readonly namespace: string; readonly isWriter: boolean }
  readonly components: Components
  /** Called when a change may change what is rendered, and when everything is known for the first time. */
  readonly onChange: () => void
}

/** The cluster in memory: nodes, and what else is collected. It is up to date until the signal is aborted. */
export class ClusterCache {
  readonly #config: SyncConfig
  readonly #connection: Connection
  readonly #nodes: Reflector<ProjectedNode>
  readonly #collecting: Collecting
  readonly #idle = new IdleNodes()
  #isSeeded = false
  /** Resolves when all watches have ended, after the signal was aborted; never rejects. */
  readonly ended: Promise<unknown>

  constructor(
    {
      config,
      connection,
      context,
      targets,
      actions,
      policies,
      leads,
      keptIn,
      components,
      onChange,
    }: ClusterCacheOptions,
    signal: AbortSignal,
  ) {
    this.#config = config
    this.#connection = connection
    const { pageSize, relistInterval, collect, labels } = config
    const common = { connection, pageSize, relistInterval, context }
    this.#nodes = new Reflector({
      ...common,
      path: '/api/v1/nodes',
      resource: 'nodes',
      trim: trimNode(labelKeysWith(labels), collect.includes('pending') || collect.includes('actions')),
      onChange: () => {
        context.meter.nodes(this.#nodes.items().size)
        onChange()
      },
    })
    const nodes = () => this.#nodes.items().keys()
    const nodeShapes = () => this.nodes()
    const idle = this.#idle
    this.#collecting = startCollectors(
      {
        ...{ ...common, collect, nodes, nodeShapes, idle, targets, components, onChange },
        ...{ actions, actionsNamespace: config.actions.namespace },
        usage: { policies, leads, ...usageSettings(config, connection, context, keptIn) },
      },
      signal,
    )
    const watching = supervise('collect-nodes', (own) => this.#nodes.start(own), context, AbortSignal.any([signal]))
    this.ended = Promise.all([watching, this.#collecting.ended])
  }

  /** Whether everything that is collected was listed once. */
  get isSynced(): boolean {
    return this.waitingFor().length === 0
  }

  /** What was not listed yet. */
  waitingFor(): string[] {
    return [...(this.#nodes.isSynced ? [] : ['nodes']), ...this.#collecting.waitingFor()]
  }

  /**
   * Whether the API server has been silent for so long that the nodes are not known any more; `now` in milliseconds
   * since 1970.
   */
  isStale(now: number): boolean {
    const { lastContact } = this.#nodes
    return lastContact !== undefined && now - lastContact > MAX_SILENCE
  }

  nodes(): Iterable<ProjectedNode> {
    return this.#nodes.items().values()
  }

  /** Whether the API server reported the deletion of a node that it has not listed since. */
  isDeleted(name: string): boolean {
    return this.#nodes.isDeleted(name)
  }

  /** The names of all nodes, from a full list on connections of its own. Rejects as `list` does. */
  async listNames(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { pageSize } = this.#config
    const names = new Set<string>()
    await list(this.#connection, '/api/v1/nodes', {
      pageSize,
      signal,
      trim: ({ metadata: { name } }) => void names.add(name),
    })
    return names
  }

  /** Takes over since when nodes are idle from the nodes of the snapshot in Git, the first time. */
  carryOver(earlier: () => Parameters<IdleNodes['seed']>[0]): void {
    if (this.#isSeeded || !this.#config.collect.includes('pending')) return
    this.#isSeeded = true
    this.#idle.seed(earlier())
  }

  /** Takes what Git tells of outcomes of actions. */
  remember(outcomes: readonly Outcome[]): void {
    this.#collecting.remember(outcomes)
  }

  /** Takes the rows of usage that Git has. */
  rememberUsage(inGit: ReadonlyMap<string, RowInGit>): void {
    this.#collecting.rememberUsage(inGit)
  }

  /** The limits that are not raised though kills ask for it; `now` in milliseconds since 1970. */
  heldLimits(now: number): readonly HeldLimit[] {
    return this.#collecting.heldLimits(now)
  }

  /** What else is collected, as a WorkloadSnapshot of this time; undefined where that is nothing. */
  workload(now: Date): Record<string, unknown> | undefined {
    const { cluster } = this.#config
    return workloadSnapshot(this.#collecting.parts(now.getTime()), { cluster, name: inventoryName(cluster), now })
  }
}

/** How usage is settled; its history is kept beside the Lease, under its name. */
function usageSettings(
  { usage, retainShapes, leaderElection, collect }: SyncConfig,
  connection: Connection,
  context: EngineContext,
  { namespace, isWriter }: ClusterCacheOptions['keptIn'],
): Partial<UsageSettings> {
  const name = `${leaderElection.name}-usage`
  const schedule = Schedule.parse(usage.schedule, usage.timeZone)
  const history = collect.includes('usage')
    ? { history: new UsageHistory({ connection, namespace, name, context }) }
    : {}
  return { schedule, retain: retainShapes, isWriter, ...history }
}
