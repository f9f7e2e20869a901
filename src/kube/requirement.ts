import { KubeError } from './error.ts'
import { INT64_MAX, INT64_MIN, parseInt64, rangesAbove, rangesBelow } from './int64.ts'
import { isLabelValue, isQualifiedName } from './label.ts'
import type { Labels } from './types.ts'
import { ValueSet } from './value-set.ts'

/** The operators of a requirement on labels. */
export const LABEL_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const

/** One condition on a label: the common form of label selectors and node affinity expressions. */
export interface Requirement {
  key: string
  operator: string
  values?: string[] | null
}

/**
 * Whether the labels meet the requirement (`labels.Requirement.Matches`). An absent label meets `NotIn` and
 * `DoesNotExist` alone; `Gt` and `Lt` compare 64-bit integers and fail on anything else.
 */
export function meetsRequirement(requirement: Requirement, labels: Labels): boolean {
  const { key, operator } = requirement
  const values = requirement.values ?? []
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default: {
      const actual = typeof value === 'string' ? parseInt64(value) : undefined
      const bound = parseInt64(values[0] ?? '')
      if (actual === undefined || bound === undefined) return false
      return operator === 'Gt' ? actual > bound : actual < bound
    }
  }
}

/** Throws `KubeError` if a requirement has the wrong types, which the API server could not even decode. */
export function checkTypes(requirement: Requirement): void {
  const { key, operator, values } = (requirement ?? {}) as { key?: unknown; operator?: unknown; values?: unknown }
  const list = values ?? []
  const isList = Array.isArray(list) && list.every((value) => typeof value === 'string')
  if (typeof key !== 'string' || typeof operator !== 'string' || !isList) {
    const sentence = 'a requirement needs a key and an operator (strings) and values (a list of strings)'
    throw new KubeError('SelectorSyntax', '', sentence)
  }
}

/** Throws `KubeError` where `labels.NewRequirement` returns an error. */
export function checkRequirement(requirement: Requirement, operators: readonly string[]): void {
  checkTypes(requirement)
  const { key, operator } = requirement
  const values = requirement.values ?? []
  const place = `${key} ${operator}`
  if (!operators.includes(operator)) {
    throw new KubeError('SelectorOperator', place, `"${operator}" is not a valid operator: use ${operators.join(', ')}`)
  }
  if (!isQualifiedName(key)) {
    throw new KubeError(
      'SelectorKey',
      key,
      `"${key}" is not a label key: a name of at most 63 characters with an optional DNS prefix and slash`,
    )
  }
  const count = values.length
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    throw new KubeError('SelectorValues', place, `${place} needs at least one value`)
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count !== 0) {
    throw new KubeError('SelectorValues', place, `${place} takes no values`)
  }
  if (operator === 'Gt' || operator === 'Lt') {
    if (count !== 1 || parseInt64(values[0] ?? '') === undefined) {
      throw new KubeError('SelectorValues', place, `${place} needs exactly one integer`)
    }
  }
  for (const value of values) {
    if (!isLabelValue(value))
      throw new KubeError('SelectorValues', value, `"${value}" is not a label value, in ${place}`)
  }
}

/**
 * Returns the label values that meet a requirement (`labels.Requirement.Matches`). Throws `KubeError` where
 * `labels.NewRequirement` returns an error.
 */
export function requirementValues(requirement: Requirement): ValueSet {
  checkRequirement(requirement, LABEL_OPERATORS)
  const values = requirement.values ?? []
  switch (requirement.operator) {
    case 'In':
      return ValueSet.of(values)
    case 'NotIn':
      return ValueSet.of(values).complement()
    case 'Exists':
      return ValueSet.absent().complement()
    case 'DoesNotExist':
      return ValueSet.absent()
    case 'Gt':
      return ValueSet.integers(rangesAbove(parseInt64(values[0] ?? '') ?? INT64_MAX))
    default:
      return ValueSet.integers(rangesBelow(parseInt64(values[0] ?? '') ?? INT64_MIN))
  }
}
