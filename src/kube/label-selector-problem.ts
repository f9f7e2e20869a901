import { KubeError } from './error.ts'
import { isLabelValue, isQualifiedName } from './label.ts'
import { isMap } from './map.ts'
import { checkRequirement, type Requirement } from './requirement.ts'
import { quoted } from './shown.ts'

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const
const FIELDS = ['matchLabels', 'matchExpressions']

/**
 * Why the API server would refuse a `metav1.LabelSelector` in a new pod (`ValidateLabelSelector`), in words; undefined for a valid
 * one, or none at all. Whatever a user wrote may stand there.
 */
export function labelSelectorProblem(selector: unknown): string | undefined {
  if (selector === undefined || selector === null) return undefined
  if (!isMap(selector)) return 'a label selector is a map'
  const unknown = Object.keys(selector).find((key) => !FIELDS.includes(key))
  if (unknown !== undefined) return `a label selector has no field ${unknown}`
  const { matchLabels, matchExpressions } = selector
  if (!isMap(matchLabels ?? {})) return 'matchLabels is not a map'
  if (!Array.isArray(matchExpressions ?? [])) return 'matchExpressions is not a list'
  const bad = Object.entries((matchLabels ?? {}) as object).find(
    ([key, value]) => !isQualifiedName(key) || typeof value !== 'string' || !isLabelValue(value),
  )
  if (bad !== undefined) return `matchLabels ${bad[0]} is ${quoted(bad[1])}, which no label can be`
  try {
    for (const one of (matchExpressions ?? []) as Requirement[]) checkRequirement(one, OPERATORS)
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/** The keys that a selector's expressions ask for once more: after its labels, or after an earlier expression. */
export function repeatedKeys(selector: unknown): string[] {
  const { matchLabels, matchExpressions } = isMap(selector) ? selector : {}
  const keys = Array.isArray(matchExpressions) ? (matchExpressions as Requirement[]).map((one) => one?.key) : []
  const labels = isMap(matchLabels) ? matchLabels : {}
  return keys.filter(
    (key, index) => typeof key === 'string' && (Object.hasOwn(labels, key) || keys.indexOf(key) < index),
  )
}
