import { matchesNode } from './affinity.ts'
import { unlessMalformed } from './error.ts'
import { untoleratedTaint } from './taint.ts'
import type { Node, PodSpec, PodTemplateSpec, Toleration } from './types.ts'

const ALWAYS_TOLERATED: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]

const HOST_NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** Returns the pod's tolerations and those that the DaemonSet controller adds (`AddOrUpdateDaemonPodTolerations`). */
export function daemonTolerations(spec: PodSpec): Toleration[] {
  return [...(spec.tolerations ?? []), ...ALWAYS_TOLERATED, ...(spec.hostNetwork === true ? [HOST_NETWORK] : [])]
}

/**
 * Whether the DaemonSet controller starts a pod on the node, and whether a pod that runs there may stay
 * (`NodeShouldRunDaemonPod`). A NoSchedule taint keeps new pods away; only NoExecute evicts running ones.
 */
export function daemonEligibility(
  pod: PodTemplateSpec,
  node: Node,
): { shouldRun: boolean; shouldContinueRunning: boolean } {
  const spec = pod.spec ?? {}
  const { name } = node.metadata
  if ((spec.nodeName && spec.nodeName !== name) || !affinityMatches(spec, node)) {
    return { shouldRun: false, shouldContinueRunning: false }
  }
  const taints = node.spec?.taints ?? []
  const tolerations = daemonTolerations(spec)
  return {
    shouldRun: untoleratedTaint(taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined,
    shouldContinueRunning: untoleratedTaint(taints, tolerations, ['NoExecute']) === undefined,
  }
}

/** The controller treats a malformed affinity as one that does not match. */
function affinityMatches(spec: PodSpec, node: Node): boolean {
  return (
    unlessMalformed(() => matchesNode({ name: node.metadata.name, labels: node.metadata.labels ?? {} }, spec)) ?? false
  )
}
