import type { Shape } from '../inventory/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import {
  daemonTolerations,
  KubeError,
  type Labels,
  matchesNode,
  type PodSpec,
  untoleratedTaint,
} from '../kube/index.ts'
import { requiredTerms, type Terms } from '../sizing/index.ts'

/** Where pods may be: labels a node must carry, and required terms. */
export interface Place {
  readonly nodeSelector: Labels
  readonly terms: Terms
}

/** Where the pods of a rendered object may be. */
export function placeOf(object: KubernetesObject): Place {
  const { nodeSelector, affinity } = podOf(object)
  return { nodeSelector: nodeSelector ?? {}, terms: requiredTerms(affinity) }
}

/** The labels whose one value every node of a place has. */
export function fixedLabels({ nodeSelector, terms }: Place): Labels {
  const [only, another] = terms ?? []
  const single = another === undefined ? (only?.matchExpressions ?? []) : []
  const own = single.flatMap(({ key, operator, values }) =>
    operator === 'In' && values?.length === 1 ? [[key, values[0] ?? ''] as const] : [],
  )
  return { ...Object.fromEntries(own), ...nodeSelector }
}

/** Whether the pods of an object may be on a node; of an object that a user made unreadable, undefined. */
export function admits(object: KubernetesObject, node: { name: string; labels: Labels }): boolean | undefined {
  try {
    return matchesNode(node, podOf(object))
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
