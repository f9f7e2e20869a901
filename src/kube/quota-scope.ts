import { isMap, type Mapping } from './map.ts'
import { qosClass } from './qos.ts'
import { matchesLabels } from './selector.ts'
import type { PodSpec } from './types.ts'

/** One condition under which a ResourceQuota counts a pod. */
export interface QuotaScope {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

/**
 * Whether a scope of a ResourceQuota holds for a pod with its defaults filled in (`podMatchesScopeFunc`). Throws `KubeError` on an
 * operator or values that the API server would refuse.
 */
export function matchesQuotaScope({ scopeName, operator, values }: QuotaScope, spec: PodSpec): boolean {
  switch (scopeName) {
    case 'Terminating':
      return isTerminating(spec)
    case 'NotTerminating':
      return !isTerminating(spec)
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort'
    case 'PriorityClass': {
      const name = spec.priorityClassName
      const labels: Record<string, string> = typeof name === 'string' && name !== '' ? { [scopeName]: name } : {}
      return matchesLabels({ matchExpressions: [{ key: scopeName, operator, values: [...(values ?? [])] }] }, labels)
    }
    case 'CrossNamespacePodAffinity':
      return usesOtherNamespaces(spec)
    default:
      return false
  }
}

function isTerminating({ activeDeadlineSeconds }: PodSpec): boolean {
  return typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0
}

/** Whether a rule about other pods looks beyond the pod's own namespace (`usesCrossNamespacePodAffinity`). */
function usesOtherNamespaces({ affinity }: PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((side) => {
    const required = listOf(side, 'requiredDuringSchedulingIgnoredDuringExecution')
    const preferred = listOf(side, 'preferredDuringSchedulingIgnoredDuringExecution').map(
      ({ podAffinityTerm }) => podAffinityTerm,
    )
    return [...required, ...preferred].some(
      (term) =>
        isMap(term) &&
        ((Array.isArray(term.namespaces) && term.namespaces.length > 0) || (term.namespaceSelector ?? null) !== null),
    )
  })
}

function listOf(side: unknown, name: string): Mapping[] {
  const list = isMap(side) ? side[name] : undefined
  return Array.isArray(list) ? list.filter(isMap) : []
}
