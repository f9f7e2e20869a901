import type { PendingPod, PendingPods } from '../inventory/index.ts'
import { isTargeting, NO_NAME, placingKey, refusalOf } from './match.ts'
import type { Pool } from './pool.ts'
import { PODS, type ResourceAxes, type Vector } from './resources.ts'

/** Pods that are equal in all that decides where they may run. */
export interface PodGroup {
  readonly like: PendingPods
  readonly request: Vector
  /** Equal for groups that may run on the same nodes. */
  readonly key: string
  /** The pools whose new nodes admit them, in the order in which pools are tried. */
  readonly pools: readonly Pool[]
  /** What refuses the new nodes of the other pools. */
  readonly refusals: ReadonlyMap<Pool, string>
}

/** A pending pod. */
export interface WaitingPod {
  /** Its namespace and name. */
  readonly id: string
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

/** Returns a group with the pools that could serve it. */
export function groupOf(like: PendingPods, pools: readonly Pool[], axes: ResourceAxes): PodGroup {
  const request = axes.vector(like.requests, 'up')
  request[PODS] = 1
  const refusals = new Map<Pool, string>()
  for (const pool of pools) {
    const refusal = poolRefusal(like, pool)
    if (refusal !== undefined) refusals.set(pool, refusal)
  }
  return { like, request, key: placingKey(like), pools: pools.filter((pool) => !refusals.has(pool)), refusals }
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
  return { id: `${namespace}/${name}`, group, since: time, age: time === undefined ? 0 : Math.max(0, now - time) }
}

/** Sorts pods as they are placed: the largest cpu first, then memory, then by name. No pool changes this order. */
export function bySize(left: WaitingPod, right: WaitingPod): number {
  const [a, b] = [left.group.request, right.group.request]
  return (b[0] ?? 0) - (a[0] ?? 0) || (b[1] ?? 0) - (a[1] ?? 0) || compareIds(left.id, right.id)
}

/** Compares by namespace, then by name. */
function compareIds(left: string, right: string): number {
  const [a, b] = [left.replace('/', '\0'), right.replace('/', '\0')]
  return a < b ? -1 : a > b ? 1 : 0
}
