import type { Shape } from '../inventory/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import {
  daemonTolerations,
  KubeError,
  type Labels,
  matchesNode,
  type PodSpec,
  type Region,
  regionOfPod,
  untoleratedTaint,
} from '../kube/index.ts'

/** Where the pods of a rendered object may be; of an object that a user made unreadable, undefined. */
export function placeOf(object: KubernetesObject): Region | undefined {
  return unlessMalformed(() => regionOfPod(podOf(object)))
}

/** Whether the pods of an object may be on a node; of an object that a user made unreadable, undefined. */
export function admits(object: KubernetesObject, node: { name: string; labels: Labels }): boolean | undefined {
  return unlessMalformed(() => matchesNode(node, podOf(object)))
}

/** What is read, or undefined where an affinity is malformed. */
export function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

/** Whether pods of an object may stay on nodes of a shape: its labels admit them, and each NoExecute taint is tolerated. */
export function mayStay(object: KubernetesObject, { labels, taints }: Pick<Shape, 'labels' | 'taints'>): boolean {
  const isAdmitted = admits(object, { name: '', labels }) === true
  return isAdmitted && untoleratedTaint([...taints], daemonTolerations(podOf(object)), ['NoExecute']) === undefined
}

/** The pods of anything with a pod template, whatever a user made of it. */
function podOf({ spec }: KubernetesObject): PodSpec {
  const { template } = (spec ?? {}) as { template?: { spec?: PodSpec | null } | null }
  return template?.spec ?? {}
}
