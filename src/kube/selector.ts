import { KubeError } from './error.ts'
import { checkRequirement, meetsRequirement } from './requirement.ts'
import type { LabelSelector, Labels } from './types.ts'

/** The four operators of metav1.LabelSelector, and the two that only selector text knows. */
export const SELECTOR_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const

/**
 * Whether a label selector selects the labels (`metav1.LabelSelectorAsSelector`): null selects nothing, an empty
 * selector everything. Throws `KubeError` on an unknown operator, a bad key or values that do not fit the operator.
 */
export function matchesLabels(selector: LabelSelector | null | undefined, labels: Labels): boolean {
  if (selector === null || selector === undefined) return false
  const { matchLabels, matchExpressions } = selector
  if (typeof (matchLabels ?? {}) !== 'object' || !Array.isArray(matchExpressions ?? []))
    throw new KubeError('SelectorSyntax', '', 'matchLabels is not a map, or matchExpressions is not a list')
  const requirements = [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(matchExpressions ?? []),
  ]
  for (const requirement of requirements) {
    if (typeof requirement?.key !== 'string') {
      throw new KubeError('SelectorKey', '', 'a matchExpressions entry has no key')
    }
    checkRequirement(requirement, SELECTOR_OPERATORS)
  }
  return requirements.every((requirement) => meetsRequirement(requirement, labels))
}
