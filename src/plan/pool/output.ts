import type { Planned, World } from '../../core/index.ts'
import type { Live, LiveClaim } from '../../facts/inventory/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import type { Item } from '../../krm/types.ts'
import type { MachineClaim } from './machines.ts'
import type { Pool } from './pool.ts'
import type { PoolsRun } from './run.ts'
import type { PoolSettings } from './settings.ts'

/** What decides which machines a pool has asked for. */
export interface ClaimInput {
  readonly settings: PoolSettings
  readonly live: Live
  /** The NodeSmithClaims of the pool in the package, and in earlier output that was given apart. */
  readonly claims: readonly Item[]
  /** Those of the cluster. */
  readonly liveClaims: readonly LiveClaim[]
  /** What the policy rendered before, or released. */
  readonly own: ReadonlySet<Item>
  readonly world: World
  /** The names of the Ready and other nodes that have the label of the pool. */
  readonly nodes: readonly string[]
  readonly now: number
}

/** How the machines of a pool are asked for: in which objects, and how these are read back. */
export interface Output {
  /** Whether its provider may pick one of several sizes. */
  readonly picks: boolean
  /** Whether its machines may have several sizes. */
  readonly takesSizes: boolean
  /** Whether the object of a machine says for which pods it was opened. */
  readonly remembersPods: boolean
  /** Finds why the settings cannot be rendered so. */
  problems(settings: PoolSettings, world: World): Finding[]
  /** Finds why they cannot be rendered over what a snapshot shows. */
  liveProblems?(settings: PoolSettings, world: World, live: Live): Finding[]
  /** Returns the machines that are asked for, by name, those of Git and those of the cluster as one. */
  claims(input: ClaimInput): Map<string, MachineClaim>
  /** Renders what a run decided. `earlier` is what the policy rendered before, or released. */
  render(
    pool: Pool,
    run: PoolsRun,
    world: World,
    earlier: readonly Item[],
  ): Pick<Planned, 'objects' | 'shares' | 'findings'>
}
