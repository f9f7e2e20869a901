import { KubeError } from './error.ts'
import { isLabelValue, isQualifiedName } from './label.ts'
import { checkRequirement, meetsRequirement, type Requirement } from './requirements.ts'
import type { LabelSelector, Labels } from './types.ts'
import { isMap, quoted } from './unknown-value.ts'

/** The four operators of metav1.LabelSelector, and Gt and Lt, which only selector text has. */
export const SELECTOR_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const

/**
 * Whether a label selector selects the labels (`metav1.LabelSelectorAsSelector`): null selects nothing, an empty
 * selector everything. Throws `KubeError` on an unknown operator, an invalid key, or values that the operator does not
 * take.
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

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const
const FIELDS = ['matchLabels', 'matchExpressions']

/**
 * Returns why the API server would refuse a `metav1.LabelSelector` in a new pod (`ValidateLabelSelector`), in words;
 * undefined for a valid or missing selector. Takes any value, as users write it.
 */
export function labelSelectorProblem(selector: unknown): string | undefined {
  if (selector === undefined || selector === null) return undefined
  if (!isMap(selector)) return 'the label selector is not a map'
  const unknown = Object.keys(selector).find((key) => !FIELDS.includes(key))
  if (unknown !== undefined) return `the label selector has the unknown field ${unknown}`
  const { matchLabels, matchExpressions } = selector
  if (!isMap(matchLabels ?? {})) return 'matchLabels is not a map'
  if (!Array.isArray(matchExpressions ?? [])) return 'matchExpressions is not a list'
  const bad = Object.entries((matchLabels ?? {}) as object).find(
    ([key, value]) => !isQualifiedName(key) || typeof value !== 'string' || !isLabelValue(value),
  )
  if (bad !== undefined) return `matchLabels ${bad[0]} is ${quoted(bad[1])}, which is not a label value`
  try {
    for (const one of (matchExpressions ?? []) as Requirement[]) checkRequirement(one, OPERATORS)
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/** Returns the keys of matchExpressions that matchLabels or an earlier expression already uses. */
export function repeatedKeys(selector: unknown): string[] {
  const { matchLabels, matchExpressions } = isMap(selector) ? selector : {}
  const keys = Array.isArray(matchExpressions) ? (matchExpressions as Requirement[]).map((one) => one?.key) : []
  const labels = isMap(matchLabels) ? matchLabels : {}
  return keys.filter(
    (key, index) => typeof key === 'string' && (Object.hasOwn(labels, key) || keys.indexOf(key) < index),
  )
}
