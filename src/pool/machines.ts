import type { Fleet, Live, LiveClaim, LiveNode, Shape } from '../inventory/index.ts'
import { memberOf } from '../krm/map.ts'
import { LEAVING, OPENED } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { isTime, type Labels, type Taint } from '../kube/index.ts'
import { indexBy, once } from '../world/index.ts'
import { minus, type ResourceAxes, type Vector } from './resources.ts'
import type { PoolSettings } from './settings.ts'
import type { Requirements } from './sizes.ts'

/** A node of a pool. Times are in milliseconds. */
export interface MachineNode {
  readonly name: string
  readonly uid?: string
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly isReady: boolean
  readonly isCordoned: boolean
  readonly isDeleting: boolean
  readonly readySince?: number
  readonly idleSince?: number
  /** How many pods keep it from removal; undefined if that is unknown. */
  readonly blocking?: number
  readonly annotations: Readonly<Record<string, string>>
  /** Our mark in the cluster: when it was cordoned to be removed. */
  readonly mark?: string
  readonly capacity: Vector
  /** What no pod requests; undefined if that is unknown. */
  readonly room?: Vector
  /** What pods of DaemonSets request. */
  readonly daemons: Vector
}

/** A NodeSmithClaim of a pool, in Git, in the cluster, or in both. Times are in milliseconds. */
export interface MachineClaim {
  readonly name: string
  readonly requirements?: Requirements
  /** When it was opened, as it says itself, else as the cluster does. */
  readonly openedAt?: number
  /** When it was made in the cluster, else when it was opened. */
  readonly createdAt?: number
  /** In the package, or in earlier output that was given apart. */
  readonly item?: Item
  /** Whether this pool's policy rendered it, or released it. */
  readonly isOurs: boolean
  readonly live?: LiveClaim
}

/**
 * `node`: a Ready node. `joining`, `stale`: none yet, within `times.provision` and beyond. `down`: a node that is not
 * Ready, without a claim.
 */
export type MachineState = 'node' | 'joining' | 'stale' | 'failed' | 'deleting' | 'down'

/** A machine of a pool: a node, a claim, or both, which are one. */
export interface Machine {
  readonly name: string
  readonly node?: MachineNode
  readonly claim?: MachineClaim
  readonly state: MachineState
}

/** What the machines of pools are read from. */
export interface MachineInput {
  readonly fleet: Fleet
  readonly live: Live
  /** The NodeSmithClaims of the package, and of earlier output that was given apart. */
  readonly claims: readonly Item[]
  /** Those of them that are the policy's own, by its earlier output. */
  readonly ours: (settings: PoolSettings) => ReadonlySet<Item>
  readonly axes: ResourceAxes
  readonly now: number
}

/** Returns the machines of a pool, by name. */
export function machinesOf(settings: PoolSettings, input: MachineInput): Machine[] {
  const claims = claimsOf(settings, input)
  const nodes = nodesOf(settings, claims, input)
  const taken = new Set<string>()
  const withNode = nodes.map(({ node, claim }): Machine => {
    if (claim !== undefined) taken.add(claim.name)
    return { name: claim?.name ?? node.name, node, claim, state: stateOf(node, claim, settings, input.now) }
  })
  const alone = [...claims.values()].filter(({ name }) => !taken.has(name))
  const machines = alone.map((claim): Machine => {
    return { name: claim.name, claim, state: stateOf(undefined, claim, settings, input.now) }
  })
  return [...withNode, ...machines].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the claims of a pool by name, those of Git and those of the cluster as one. */
function claimsOf(settings: PoolSettings, { claims, live, ours }: MachineInput): Map<string, MachineClaim> {
  const { name, namespace = '' } = settings
  const own = ours(settings)
  const found = new Map<string, MachineClaim>()
  for (const item of claims) {
    const { metadata, spec } = item.object
    if (memberOf(spec, 'poolRef') !== name || (metadata.namespace ?? '') !== namespace) continue
    const opened = timeAt(metadata.annotations?.[OPENED])
    const requirements = requirementsOf(memberOf(spec, 'requirements'))
    const isOurs = own.has(item)
    found.set(metadata.name, { name: metadata.name, item, isOurs, requirements, openedAt: opened, createdAt: opened })
  }
  for (const one of live.claims ?? []) {
    if (one.poolRef !== name || one.namespace !== namespace) continue
    const inGit = found.get(one.name)
    const [opened, created] = [one.openedAt?.getTime(), one.createdAt?.getTime()]
    found.set(one.name, {
      name: one.name,
      item: inGit?.item,
      isOurs: inGit?.isOurs === true,
      live: one,
      requirements: inGit?.requirements ?? requirementsOf(one.requirements),
      openedAt: inGit?.openedAt ?? opened ?? created,
      createdAt: created ?? opened ?? inGit?.createdAt,
    })
  }
  return found
}

/** Returns what a claim asks for; undefined unless both are whole numbers above 0. */
export function requirementsOf(value: unknown): Requirements | undefined {
  const [cpuCores, memoryMiB] = [memberOf(value, 'cpuCores'), memberOf(value, 'memoryMiB')]
  const isCount = (one: unknown): one is number => Number.isSafeInteger(one) && (one as number) > 0
  return isCount(cpuCores) && isCount(memoryMiB) ? { cpuCores, memoryMiB } : undefined
}

/** Returns the nodes that have the label of the pool, and those that joined for one of its claims without it. */
function nodesOf(
  { labelKey, name: pool }: PoolSettings,
  claims: ReadonlyMap<string, MachineClaim>,
  { fleet, live, axes }: MachineInput,
): Array<{ node: MachineNode; claim?: MachineClaim }> {
  const seen = liveNodes(live)
  const byNode = indexBy([...claims.values()], ({ live: one }) => one?.nodeName)
  return fleet.shapes.flatMap((shape) => {
    const value = shape.labels[labelKey]
    if (value !== undefined && value !== pool) return []
    const amounts = once(() => ({
      capacity: axes.vector(shape.capacity, 'down'),
      allocatable: axes.vector(shape.allocatable, 'down'),
    }))
    return shape.nodes.flatMap((name) => {
      const shown = seen.get(name)
      const claim = claims.get(shown?.claim ?? '') ?? claims.get(name) ?? byNode.get(name)?.[0]
      if (value === undefined && claim === undefined) return []
      return [{ node: nodeOf(name, shape, shown, amounts(), axes), ...(claim === undefined ? {} : { claim }) }]
    })
  })
}

const indexes = new WeakMap<Live, ReadonlyMap<string, LiveNode>>()

function liveNodes(live: Live): ReadonlyMap<string, LiveNode> {
  const known = indexes.get(live) ?? new Map((live.nodes ?? []).map((node) => [node.name, node]))
  indexes.set(live, known)
  return known
}

function nodeOf(
  name: string,
  shape: Shape,
  shown: LiveNode | undefined,
  { capacity, allocatable }: { capacity: Vector; allocatable: Vector },
  axes: ResourceAxes,
): MachineNode {
  const annotations = shown?.annotations ?? {}
  return {
    name,
    uid: shown?.uid ?? shape.uids?.[name],
    labels: shape.labels,
    taints: shape.taints,
    isReady: shape.ready === 'True',
    isCordoned: shape.unschedulable,
    isDeleting: shown?.isDeleting === true,
    readySince: shown?.readySince?.getTime(),
    idleSince: shown?.idleSince?.getTime(),
    blocking: shown?.blocking,
    annotations,
    mark: annotations[LEAVING],
    capacity,
    room: shown?.used === undefined ? undefined : minus(allocatable, axes.vector(shown.used, 'up')),
    daemons: axes.vector(shown?.daemons, 'up'),
  }
}

function stateOf(
  node: MachineNode | undefined,
  claim: MachineClaim | undefined,
  { times }: PoolSettings,
  now: number,
): MachineState {
  if (node?.isDeleting || claim?.live?.isDeleting) return 'deleting'
  const isYoung = claim?.createdAt !== undefined && now - claim.createdAt <= times.provision
  // a node that a snapshot does not show yet has just joined
  if (node?.isReady === true && (node.room !== undefined || !isYoung)) return 'node'
  if (claim === undefined) return 'down'
  if (claim.live?.failed === true && node === undefined) return 'failed'
  return isYoung ? 'joining' : 'stale'
}

/** Returns a time in milliseconds; undefined if it is missing, or a user's edit made it unreadable. */
export function timeAt(text: unknown): number | undefined {
  return typeof text === 'string' && isTime(text) ? Date.parse(text) : undefined
}
