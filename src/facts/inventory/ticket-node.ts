import type { KubernetesObject } from '../../krm/types.ts'
import type { Affinity } from '../../kube/index.ts'

const HOSTNAME = 'kubernetes.io/hostname'

/**
 * Returns the node that a Ticket names, by nodeName, by required affinity, or by the hostname label; undefined if it
 * names none or several.
 */
export function ticketNode({ spec }: KubernetesObject): string | undefined {
  const { nodeName, affinity, nodeSelector } = (spec ?? {}) as {
    nodeName?: string
    affinity?: Affinity
    nodeSelector?: Record<string, string>
  }
  if (nodeName) return nodeName
  const terms = maps(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms)
  const named = terms.map((term) => {
    const requirements = [...maps(term.matchFields), ...maps(term.matchExpressions)]
    const nodeRequirement = requirements.find(
      ({ key, operator }) => (key === 'metadata.name' || key === HOSTNAME) && operator === 'In',
    )
    return nodeRequirement?.values?.length === 1 ? nodeRequirement.values[0] : undefined
  })
  const [first] = named
  if (first !== undefined && named.every((name) => name === first)) return first
  return nodeSelector?.[HOSTNAME]
}

/** Returns the maps of a list; empty for any other value. */
function maps<T extends object>(list: readonly T[] | null | undefined): T[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}
