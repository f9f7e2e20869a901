import type { Planned, World } from '../../core/index.ts'
import type { Live, LiveClaim } from '../../facts/inventory/index.ts'
import type { Finding } from '../../krm/finding.ts'
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

/** The digits of a claim's name, as KubeNodeSmith writes them; more where they are needed. */
const DIGITS = 6

/**
 * Returns the number of the next claim: never one that a name of today has, and never below the recorded one, since a
 * machine that is gone leaves its name in the cluster (k3s keeps a password for each node name).
 */
export function nextNumber(
  { prefix }: Pick<PoolSettings, 'prefix'>,
  recorded: number,
  highest: ReadonlyMap<string, number>,
): number {
  return Math.max(1, recorded, (highest.get(prefix) ?? 0) + 1)
}

/** Returns the highest number among names of machines, by the prefix that they have; other names do not count. */
export function highestNumbers(names: Iterable<string>): ReadonlyMap<string, number> {
  const highest = new Map<string, number>()
  for (const name of names) {
    const end = name.lastIndexOf('-')
    const digits = name.slice(end + 1)
    if (end < 0 || !/^[0-9]{1,15}$/.test(digits)) continue
    const prefix = name.slice(0, end)
    highest.set(prefix, Math.max(highest.get(prefix) ?? 0, Number(digits)))
  }
  return highest
}

/** Returns the name of a machine, which is also that of its node. */
export function machineName({ prefix }: Pick<PoolSettings, 'prefix'>, number: number): string {
  return `${prefix}-${String(number).padStart(DIGITS, '0')}`
}

/** Returns what stands for a machine that its provider names, once it is there. */
export function namelessMachine(
  { name }: Pick<PoolSettings, 'name'>,
  number: number,
  state: 'to add' | 'to come',
): string {
  return `${name} (machine ${number} ${state})`
}

/** Returns the machines that are asked for and have no object yet; they are made in any order, and are all alike. */
export function missingClaims(
  { settings: { machines, name }, now, world }: ClaimInput,
  count: number,
): Map<string, MachineClaim> {
  const [size] = machines
  const [item] = world.items
  const names = Array.from({ length: Math.max(0, count) }, (_, index) =>
    namelessMachine({ name }, index + 1, 'to come'),
  )
  const times = { openedAt: now, createdAt: now }
  return new Map(
    names.map((one) => [one, { name: one, item, isOurs: true, requirements: size, openedFor: [], ...times }]),
  )
}
