/** Which of today's nodes the pods of a rendered object may stay on, whatever a user made of it. */
import type { Fleet, Shape } from '../inventory/index.ts'
import { isMap } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import {
  daemonTolerations,
  KubeError,
  type Labels,
  matchesNode,
  type PodSpec,
  untoleratedTaint,
} from '../kube/index.ts'

/** Whether the lists of a pod are lists. */
export function isReadablePodSpec({ containers, initContainers, tolerations }: PodSpec): boolean {
  const lists: unknown[] = [containers ?? [], initContainers ?? [], tolerations ?? []]
  return lists.every((list) => Array.isArray(list) && list.every(isMap))
}

/** The shapes of a cluster; of all where it is not known. */
export function clusterShapes(fleets: readonly Fleet[], cluster: string | undefined): readonly Shape[] {
  const own = fleets.filter((one) => cluster === undefined || one.cluster === cluster)
  const [only, another] = own
  // many ask, and a copy for each costs more than what they look at
  return only !== undefined && another === undefined ? only.shapes : own.flatMap(({ shapes }) => shapes)
}

/** On how many of today's nodes the pods may stay. */
export function countServedNodes(pod: PodSpec, shapes: readonly Shape[]): number {
  return shapes.reduce((sum, shape) => {
    const served = servedNodes(pod, shape)
    return sum + (served === 'all' ? shape.nodeCount : served.length)
  }, 0)
}

/** The nodes of a shape on which the pods may stay: all, or those with these names. */
export function servedNodes(pod: PodSpec, { labels, taints, nodes }: Shape): 'all' | readonly string[] {
  if (untoleratedTaint([...taints], daemonTolerations(pod), ['NoExecute']) !== undefined) return []
  // what a node without a name is asked for by name counts as met
  if (asksForNames(pod)) return nodes.filter((name) => admits(pod, name, labels))
  return admits(pod, '', labels) ? 'all' : []
}

function admits(pod: PodSpec, name: string, labels: Labels): boolean {
  try {
    return matchesNode({ name, labels }, pod)
  } catch (error) {
    if (error instanceof KubeError) return false
    throw error
  }
}

function asksForNames({ affinity }: PodSpec): boolean {
  const terms: unknown = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return Array.isArray(terms) && terms.some((term) => isMap(term) && Object.hasOwn(term, 'matchFields'))
}

/** The pods of anything with a pod template, whatever a user made of it: empty where there is none. */
export function podSpecOf({ spec }: KubernetesObject): PodSpec {
  const { template } = (spec ?? {}) as { template?: { spec?: PodSpec | null } | null }
  return template?.spec ?? {}
}
