import { memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { hasSelfAntiAffinity, hostPortsOf } from './one-pod-per-node.ts'

/** How the DaemonSet controller replaces pods whose template differs. */
export interface Replacement {
  /** On how many nodes at once. */
  readonly atOnce: number
  /** On how many of these the old pod stops before the new one runs. */
  readonly down: number
}

/**
 * Returns how a DaemonSet with so many nodes replaces its pods: by `maxSurge` or `maxUnavailable`, of which one is 0,
 * percentages rounded up (the DaemonSet controller's `updatedDesiredNodeCounts`; defaults 0 and 1); none with OnDelete.
 */
export function replacementOf(object: KubernetesObject, nodeCount: number): Replacement {
  const strategy = updateStrategyOf(object)
  if (memberOf(strategy, 'type') === 'OnDelete') return { atOnce: 0, down: 0 }
  const rolling = memberOf(strategy, 'rollingUpdate')
  const surge = scaled(memberOf(rolling, 'maxSurge') ?? 0, nodeCount)
  if (surge > 0) return { atOnce: surge, down: 0 }
  const down = Math.max(scaled(memberOf(rolling, 'maxUnavailable') ?? 1, nodeCount), 1)
  return { atOnce: down, down }
}

/**
 * Returns why a new pod of an object cannot start beside the old one that `maxSurge` leaves on the node, in words that
 * follow the old pod; undefined where it can, or the strategy is another. The scheduler's NodePorts and
 * InterPodAffinity keep it out, and the controller removes the old pod only once the new one runs.
 */
export function surgeBlocker(object: KubernetesObject, before = object): string | undefined {
  const { atOnce, down } = replacementOf(object, 1)
  if (atOnce === 0 || down > 0) return undefined
  const held = new Set(hostPortsOf(before))
  const port = hostPortsOf(object).find((one) => held.has(one))
  if (port !== undefined) return `holds port ${port} of the node`
  return hasSelfAntiAffinity(object) ? 'repels it by required podAntiAffinity' : undefined
}

/** Returns the update strategy of an object as it is, unvalidated. */
export function updateStrategyOf({ spec }: KubernetesObject): unknown {
  return memberOf(spec, 'updateStrategy')
}

function scaled(value: unknown, nodeCount: number): number {
  if (typeof value === 'number') return value
  const percentage = typeof value === 'string' ? /^([0-9]{1,3})%$/.exec(value)?.[1] : undefined
  return percentage === undefined ? 0 : Math.ceil((Number(percentage) * nodeCount) / 100)
}
