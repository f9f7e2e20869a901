import { indexBy, once } from '../../core/index.ts'
import type { Fleet, Live, LiveClaim, LiveNode, Shape } from '../../facts/inventory/index.ts'
import { memberOf } from '../../krm/map.ts'
import { LEAVING, OPENED } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isTime, type Labels, type Taint } from '../../kube/index.ts'
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
  readonly allocatable: Vector
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
  /** The pods that it was opened for, as `namespace/name`, as far as Git says. */
  readonly openedFor: readonly string[]
  /** When it was made in the cluster, else when it was opened. */
  readonly createdAt?: number
  /** In the package, or in earlier output that was given apart. */
  readonly item?: Item
  /** Whether this pool's policy rendered it, or released it. */
  readonly isOurs: boolean
  /** The NodeSmithClaim of the cluster. */
  readonly live?: LiveClaim
  readonly isDeleting?: boolean
  readonly hasFailed?: boolean
  readonly nodeName?: string
  /** When its removal was asked for in Git, where that is not on its node, and whether the cluster shows it. */
  readonly mark?: { readonly git?: string; readonly isShown: boolean }
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
  /** What the pool has asked for, by name. */
  readonly claims: ReadonlyMap<string, MachineClaim>
  readonly axes: ResourceAxes
  readonly now: number
}

/** Returns the machines of a pool, by name. */
export function machinesOf(settings: PoolSettings, input: MachineInput): Machine[] {
  const { claims } = input
  const nodes = nodesOf(settings, input)
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

/** Returns when a machine was opened, as its object says: no later than the run, whatever clock wrote it. */
export function openedAt({ metadata }: KubernetesObject, now: number): number | undefined {
  const time = timeAt(metadata.annotations?.[OPENED])
  return time === undefined ? undefined : Math.min(time, now)
}

/** A user may have written any value. */
export function podsIn(text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split(' ').filter(Boolean) : []
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
  { claims, fleet, live, axes }: MachineInput,
): Array<{ node: MachineNode; claim?: MachineClaim }> {
  const seen = liveNodes(live)
  const byNode = indexBy([...claims.values()], ({ nodeName }) => nodeName)
  return fleet.shapes.flatMap((shape) => {
    const value = shape.labels[labelKey]
    if (value !== undefined && value !== pool) return []
    const amounts = once(() => ({
      capacity: axes.vector(shape.capacity, 'down'),
      allocatable: axes.vector(shape.allocatable, 'down'),
    }))
    return shape.nodes.flatMap((name) => {
      const shown = seen.get(name)
      const claim =
        claims.get(shown?.claim ?? '') ?? claims.get(shown?.machine ?? '') ?? claims.get(name) ?? byNode.get(name)?.[0]
      if (value === undefined && claim === undefined) return []
      const node = withMark(nodeOf(name, shape, shown, amounts(), axes), claim)
      return [{ node, ...(claim === undefined ? {} : { claim }) }]
    })
  })
}

/** A machine whose removal is asked for elsewhere is not cordoned by us, and takes no pod all the same. */
function withMark(node: MachineNode, claim: MachineClaim | undefined): MachineNode {
  if (claim?.mark === undefined) return node
  const { git, isShown } = claim.mark
  return { ...node, mark: isShown ? (git ?? 'by others') : undefined, isCordoned: node.isCordoned || isShown }
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
    allocatable,
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
  if (node?.isDeleting === true || claim?.isDeleting === true) return 'deleting'
  const isYoung = claim?.createdAt !== undefined && now - claim.createdAt <= times.provision
  // a node that a snapshot does not show yet has just joined
  if (node?.isReady === true && (node.room !== undefined || !isYoung)) return 'node'
  if (claim === undefined) return 'down'
  if (claim.hasFailed === true && node === undefined) return 'failed'
  return isYoung ? 'joining' : 'stale'
}

/** Returns a time in milliseconds; undefined if it is missing, or a user's edit made it unreadable. */
export function timeAt(text: unknown): number | undefined {
  return typeof text === 'string' && isTime(text) ? Date.parse(text) : undefined
}
