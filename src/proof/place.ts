import type { KubernetesObject } from '../krm/types.ts'
import { KubeError, type Labels, matchesNode, type Region, regionOfPod } from '../kube/index.ts'
import { podSpecOf } from '../object/index.ts'

/** Where the pods of a rendered object may be; of an object that a user made unreadable, undefined. */
export function placeOf(object: KubernetesObject): Region | undefined {
  return unlessMalformed(() => regionOfPod(podSpecOf(object)))
}

/** Whether the pods of an object may be on a node; of an object that a user made unreadable, undefined. */
export function admits(object: KubernetesObject, node: { name: string; labels: Labels }): boolean | undefined {
  return unlessMalformed(() => matchesNode(node, podSpecOf(object)))
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
