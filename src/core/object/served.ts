/** The nodes on which the pods of a rendered object may stay, whatever a user changed in it. */
import type { Fleet, Shape } from '../../facts/inventory/index.ts'
import { isMap, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  daemonTolerations,
  type Labels,
  matchesNode,
  type PodSpec,
  type Taint,
  type Toleration,
  unlessMalformed,
  untoleratedTaint,
} from '../../kube/index.ts'

/** Whether the fields of a pod that must be lists of maps are such lists. */
export function isReadablePodSpec({ containers, initContainers, tolerations }: PodSpec): boolean {
  const lists: unknown[] = [containers ?? [], initContainers ?? [], tolerations ?? []]
  return lists.every((list) => Array.isArray(list) && list.every(isMap))
}

/**
 * Returns the shapes of a cluster, or of all clusters if the cluster is not known. Node objects name no cluster: where
 * no inventory is of the cluster, they are its nodes.
 */
export function clusterShapes(fleets: readonly Fleet[], cluster: string | undefined): readonly Shape[] {
  const named = fleets.filter((one) => cluster === undefined || one.cluster === cluster)
  const ofCluster = named.length > 0 ? named : fleets.filter((one) => one.cluster === '')
  const [only, another] = ofCluster
  // no copy for a single fleet: there are many callers, and a copy costs more than what they read
  return only !== undefined && another === undefined ? only.shapes : ofCluster.flatMap(({ shapes }) => shapes)
}

/** Returns how many of the nodes the pods may stay on. */
export function countServedNodes(pod: PodSpec, shapes: readonly Shape[]): number {
  return shapes.reduce((sum, shape) => {
    const served = servedNodes(pod, shape)
    return sum + (served === 'all' ? shape.nodeCount : served.length)
  }, 0)
}

/** Returns the nodes of a shape on which the pods may stay: all, or the named ones. */
export function servedNodes(pod: PodSpec, { labels, taints, nodes }: Shape): 'all' | readonly string[] {
  if (untoleratedTaint([...taints], daemonTolerations(pod), ['NoExecute']) !== undefined) return []
  // requirements on the name of a node without a name count as met
  if (requiresNames(pod)) return nodes.filter((name) => admits(pod, name, labels))
  return admits(pod, '', labels) ? 'all' : []
}

function admits(pod: PodSpec, name: string, labels: Labels): boolean {
  return unlessMalformed(() => matchesNode({ name, labels }, pod)) ?? false
}

function requiresNames({ affinity }: PodSpec): boolean {
  const terms: unknown = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return Array.isArray(terms) && terms.some((term) => isMap(term) && Object.hasOwn(term, 'matchFields'))
}

/** Returns the pod spec of an object's template; empty if there is none. */
export function podSpecOf({ spec }: KubernetesObject): PodSpec {
  const { template } = (spec ?? {}) as { template?: { spec?: PodSpec | null } | null }
  return template?.spec ?? {}
}

/** Returns the labels of the pods of an object's template; empty if it has none. */
export function podLabels({ spec }: KubernetesObject): Labels {
  const labels = memberOf(memberOf(memberOf(spec, 'template'), 'metadata'), 'labels')
  return isMap(labels) ? (labels as Labels) : {}
}

/** Taints of a node's state. They come and go, so they do not affect membership. */
const STATE_TAINTS = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
])

/** The first taint that is not tolerated, node state taints left out. */
export function lastingTaint(
  shape: Shape,
  tolerations: Toleration[],
  effect: 'NoExecute' | 'NoSchedule',
): Taint | undefined {
  return untoleratedTaint([...lastingTaints(shape)], tolerations, [effect])
}

/** Returns the nodes of a shape that are pods' for good: as `servedNodes`, node state taints left out. */
export function memberNodes(pod: PodSpec, shape: Shape): 'all' | readonly string[] {
  return servedNodes(pod, { ...shape, taints: lastingTaints(shape) })
}

function lastingTaints({ taints }: Shape): readonly Taint[] {
  return taints.filter(({ key }) => !STATE_TAINTS.has(key))
}
