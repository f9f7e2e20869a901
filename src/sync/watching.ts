import { inventoryName } from '../inventory/index.ts'
import type { Connection } from './api/connection.ts'
import { Reflector } from './api/reflector.ts'
import type { Clock } from './clock.ts'
import { type Collecting, startCollectors, workloadOf } from './collect/start.ts'
import type { SyncConfig } from './config/sync-config.ts'
import type { Log } from './log.ts'
import type { Meter } from './meter.ts'
import { labelKeysWith, type ProjectedNode, trimNode } from './nodes/projected-node.ts'

/** A watch hears something every minute or two, be it that nothing has changed. */
const DEAF = 300_000

/** What a watch of the cluster needs. */
export interface WatchingOptions {
  readonly config: SyncConfig
  readonly connection: Connection
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
  /** Something has changed that may change what is rendered, or all of it is known for the first time. */
  readonly onChange: () => void
}

/** What the cluster is, kept in memory. */
export class Watching {
  readonly #config: SyncConfig
  readonly #nodes: Reflector<ProjectedNode>
  readonly #collecting: Collecting
  /** When everything has ended after the signal was aborted; never rejects. */
  readonly ended: Promise<unknown>

  constructor({ config, connection, clock, meter, log, onChange }: WatchingOptions, signal: AbortSignal) {
    this.#config = config
    const { pageSize, relistInterval, collect, labels } = config
    const common = { connection, pageSize, relistInterval, clock, meter, log }
    this.#nodes = new Reflector({
      ...common,
      path: '/api/v1/nodes',
      resource: 'nodes',
      trim: trimNode(labelKeysWith(labels)),
      onChange: () => {
        meter.nodes(this.#nodes.items().size)
        onChange()
      },
    })
    const nodes = () => this.#nodes.items().keys()
    this.#collecting = startCollectors({ ...common, collect, nodes, onChange }, signal)
    this.ended = Promise.all([this.#nodes.start(signal), this.#collecting.ended])
  }

  /** Whether everything that is collected has been listed once. */
  get isSynced(): boolean {
    return this.waitingFor().length === 0
  }

  /** What has not been listed yet. */
  waitingFor(): string[] {
    return [...(this.#nodes.isSynced ? [] : ['nodes']), ...this.#collecting.waitingFor()]
  }

  /** Whether the API server has not been heard of nodes for so long that nobody knows what they are now; `now` in milliseconds since 1970. */
  isDeaf(now: number): boolean {
    const { lastContact } = this.#nodes
    return lastContact !== undefined && now - lastContact > DEAF
  }

  nodes(): Iterable<ProjectedNode> {
    return this.#nodes.items().values()
  }

  /** What else is collected, as a WorkloadSnapshot of this time. */
  workload(now: Date): Record<string, unknown> | undefined {
    const { cluster } = this.#config
    return workloadOf(this.#collecting.parts(now.getTime()), { cluster, name: inventoryName(cluster), now })
  }
}
