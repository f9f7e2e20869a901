import { LABEL_OPERATORS } from './affinity.ts'
import { rangesAbove, rangesBelow } from './int64-ranges.ts'
import { INT64_MAX, INT64_MIN, parseInt64 } from './integer.ts'
import { checkRequirement, type Requirement } from './requirement.ts'
import { ValueSet } from './value-set.ts'

/**
 * The values of its label that meet a requirement (`labels.Requirement.Matches`); throws `KubeError` where
 * `labels.NewRequirement` would return an error.
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
