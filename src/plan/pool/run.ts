import type { Fleet, Live } from '../../facts/inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { Leaving } from './leaving.ts'
import type { Packing } from './pack.ts'
import type { Pool } from './pool.ts'
import type { ResourceAxes } from './resources.ts'

/** What the pools of one cluster decided together. */
export interface PoolsRun {
  readonly pools: readonly Pool[]
  readonly packing: Packing
  readonly leaving: ReadonlyMap<Pool, Leaving>
  /** By pool, the number of its next claim, after this run. */
  readonly next: ReadonlyMap<Pool, number>
  readonly axes: ResourceAxes
  readonly fleet: Fleet
  readonly live: Live
  /** The partial Nodes of Git, by node. */
  readonly documents: ReadonlyMap<string, KubernetesObject>
  readonly now: number
}
