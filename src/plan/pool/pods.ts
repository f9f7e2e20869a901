import { ONE_PER_NODE, type PendingPod, type PendingPods } from '../../facts/inventory/index.ts'
import {
  type Affinity,
  type Labels,
  matchesNode,
  type NodeSelectorRequirement,
  type Taint,
  unlessMalformed,
  untoleratedTaint,
} from '../../kube/index.ts'
import { taintText } from '../../kube/taint.ts'
import type { Pool } from './pool.ts'
import { CPU, MEMORY, PODS, type ResourceAxes, type Vector } from './resources.ts'

/** Pods that are equal in all that decides where they may run. */
export interface PodGroup {
  readonly like: PendingPods
  readonly request: Vector
  /** What no two pods on a node may have in common; empty for pods that share one. */
  readonly alone: readonly string[]
  /** Equal for groups that may run on the same nodes. */
  readonly key: string
  /** The pools whose new nodes admit them, in the order in which pools are tried. */
  readonly pools: readonly Pool[]
  /** What refuses the new nodes of the other pools. */
  readonly refusals: ReadonlyMap<Pool, string>
}

/** A pending pod. */
export interface WaitingPod {
  /** Its namespace and name, as `namespace/name`. */
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly group: PodGroup
  /** When the scheduler first refused it; undefined if that is unknown. */
  readonly since?: number
  /** Milliseconds; 0 if unknown. */
  readonly age: number
}

/** Why a pending pod is not looked at. */
export type Ineligible = 'DaemonSet' | 'deleting' | 'gated' | 'not refused yet' | 'nominated' | 'low priority'

/** cluster-autoscaler's `--expendable-pods-priority-cutoff`: pods below it wait for room. */
const LOWEST_PRIORITY = -10

/** Returns why a pod opens no machine, whatever pools there are; undefined if it may. */
export function ineligibility(like: PendingPods, pod: PendingPod): Ineligible | undefined {
  if (like.controller === 'DaemonSet' || like.controller === 'Node') return 'DaemonSet'
  if (pod.isDeleting) return 'deleting'
  if (pod.reason === 'SchedulingGated' || like.gates.length > 0) return 'gated'
  if (pod.reason !== 'Unschedulable') return 'not refused yet'
  if (pod.nominated !== undefined && pod.nominated !== '') return 'nominated'
  return like.priority < LOWEST_PRIORITY ? 'low priority' : undefined
}

/** Returns a function that makes groups; those of the same pools share the list of them. */
export function groupsOf(pools: readonly Pool[], axes: ResourceAxes): (like: PendingPods) => PodGroup {
  const lists = new Map<string, readonly Pool[]>()
  const placings = new Map<string, Pick<PodGroup, 'key' | 'pools' | 'refusals'>>()
  const placingOf = (like: PendingPods) => {
    const key = placingKey(like)
    const known = placings.get(key)
    if (known !== undefined) return known
    const { pools: own, refusals } = poolsFor(like, pools)
    const orders = own.map(({ order }) => order).join()
    const shared = lists.get(orders) ?? own
    lists.set(orders, shared)
    const placing = { key, pools: shared, refusals }
    placings.set(key, placing)
    return placing
  }
  return (like) => {
    const request = axes.vector(like.requests, 'up')
    request[PODS] = 1
    return { like, request, alone: like.limits.filter((limit) => limit.startsWith(ONE_PER_NODE)), ...placingOf(like) }
  }
}

/** Returns the pools whose new nodes admit pods, and what refuses them on the others. */
export function poolsFor(like: PendingPods, pools: readonly Pool[]): Pick<PodGroup, 'pools' | 'refusals'> {
  const refusals = new Map<Pool, string>()
  for (const pool of pools) {
    const refusal = poolRefusal(like, pool)
    if (refusal !== undefined) refusals.set(pool, refusal)
  }
  return { pools: pools.filter((pool) => !refusals.has(pool)), refusals }
}

function poolRefusal(like: PendingPods, { labels, settings }: Pool): string | undefined {
  const refusal = refusalOf(like, { name: NO_NAME, labels, taints: settings.taints })
  if (refusal !== undefined || !settings.requiresTargeting) return refusal
  const keys = [settings.labelKey, ...Object.keys(settings.templateLabels)]
  return isTargeting(like, keys) ? undefined : 'no label of the pool is selected (requireTargeting)'
}

/** Returns a pod at the time of the run. A time that is unknown or to come makes it new. */
export function waitingPod({ namespace, name, since }: PendingPod, group: PodGroup, now: number): WaitingPod {
  const time = since?.getTime()
  const age = time === undefined ? 0 : Math.max(0, now - time)
  return { id: `${namespace}/${name}`, namespace, name, group, since: time, age }
}

/** Sorts pods as they are placed: the largest cpu first, then memory, then by name. No pool changes this order. */
export function bySize(left: WaitingPod, right: WaitingPod): number {
  const [a, b] = [left.group.request, right.group.request]
  return (
    (b[CPU] ?? 0) - (a[CPU] ?? 0) ||
    (b[MEMORY] ?? 0) - (a[MEMORY] ?? 0) ||
    compareTexts(left.namespace, right.namespace) ||
    compareTexts(left.name, right.name)
  )
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** Where pods may run, as far as a pool can tell. */
type Placing = Pick<PendingPods, 'nodeSelector' | 'affinity' | 'tolerations'>

/** A name that no node has: requirements on metadata.name refuse a machine that does not exist yet. */
export const NO_NAME = '/'

/** Effects that keep new pods away. */
const REPELLING = ['NoSchedule', 'NoExecute']

/**
 * Returns what of a pod refuses a node of the labels and taints, as written: a label, the affinity, or a taint;
 * undefined if it may run there.
 */
export function refusalOf(
  { nodeSelector, affinity, tolerations }: Placing,
  { name, labels, taints }: { name: string; labels: Labels; taints: readonly Taint[] },
): string | undefined {
  const wanted = Object.entries(nodeSelector).find(
    ([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value,
  )
  if (wanted !== undefined) return `nodeSelector ${wanted.join('=')}`
  if (!isAdmitted(affinity, { name, labels })) return 'required node affinity'
  const taint = untoleratedTaint([...taints], [...tolerations], REPELLING)
  return taint === undefined ? undefined : `taint ${taintText(taint)}`
}

/** The scheduler treats a malformed affinity as one that matches no node. */
function isAdmitted(affinity: Affinity | undefined, node: { name: string; labels: Labels }): boolean {
  return unlessMalformed(() => matchesNode(node, { affinity })) ?? false
}

/** Whether a pod selects one of the labels: in its nodeSelector, or in each term of its required affinity. */
function isTargeting({ nodeSelector, affinity }: Placing, keys: readonly string[]): boolean {
  if (keys.some((key) => Object.hasOwn(nodeSelector, key))) return true
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const isNamed = ({ key, operator }: NodeSelectorRequirement) =>
    keys.includes(key) && (operator === 'In' || operator === 'Exists')
  return terms.length > 0 && terms.every(({ matchExpressions }) => (matchExpressions ?? []).some(isNamed))
}

/** Returns a text that is equal for pods that may run on the same nodes. */
function placingKey({ nodeSelector, affinity, tolerations }: Placing): string {
  return JSON.stringify([Object.entries(nodeSelector).sort(), affinity ?? null, tolerations])
}

/** Whether the key is of pods that look at the name of a node, so that nodes of equal labels differ. */
export function looksAtName(key: string): boolean {
  return key.includes('"matchFields"')
}
