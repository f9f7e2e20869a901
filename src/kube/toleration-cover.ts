import { rangesAbove, rangesBelow } from './int64.ts'
import { isQualifiedName } from './label.ts'
import type { Taint, Toleration } from './types.ts'
import { TAINT_VALUES } from './value-domain.ts'
import { ValueSet } from './value-set.ts'

/** The effects that keep a pod off a node. */
const EFFECTS = ['NoSchedule', 'NoExecute']

/**
 * Returns a NoSchedule or NoExecute taint that `tolerations` tolerates and `covering` does not; undefined if `covering`
 * tolerates every taint that `tolerations` does (`Toleration.ToleratesTaint`, for all taints at once). `Gt` and `Lt`
 * apply only with `comparisonOperators`, as in `tolerates`.
 */
export function uncoveredTaint(
  tolerations: readonly Toleration[],
  covering: readonly Toleration[],
  options: { comparisonOperators?: boolean } = {},
): Taint | undefined {
  for (const key of keysOf([...tolerations, ...covering]))
    for (const effect of EFFECTS) {
      const values = toleratedValues(tolerations, key, effect, options)
      const witness = values.minus(toleratedValues(covering, key, effect, options)).witness()
      if (witness?.value === '') return { key, effect }
      if (witness !== undefined) return { key, value: witness.value, effect }
    }
  return undefined
}

/** Returns the valid taint keys that the tolerations name, and one other key that stands for all the rest. */
function keysOf(tolerations: readonly Toleration[]): string[] {
  const known = new Set(tolerations.flatMap(({ key }) => (key ? [key] : [])))
  let another = 'other'
  for (let count = 2; known.has(another); count++) another = `other-${count}`
  return [...[...known].filter(isQualifiedName).sort(), another]
}

/** Returns the values of a taint of that key and effect that the tolerations tolerate. */
function toleratedValues(
  tolerations: readonly Toleration[],
  key: string,
  effect: string,
  options: { comparisonOperators?: boolean },
): ValueSet {
  const fitting = tolerations.filter((one) => (!one.key || one.key === key) && (!one.effect || one.effect === effect))
  return ValueSet.union(
    fitting.map((one) => valuesOf(one, options)),
    TAINT_VALUES,
  )
}

function valuesOf(toleration: Toleration, { comparisonOperators }: { comparisonOperators?: boolean }): ValueSet {
  const value = toleration.value ?? ''
  const bound = comparisonOperators === true ? TAINT_VALUES.integerOf(value) : undefined
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal':
      return ValueSet.of([value], TAINT_VALUES)
    case 'Exists':
      return ValueSet.everything(TAINT_VALUES)
    case 'Gt':
      return ValueSet.integers(bound === undefined ? [] : rangesAbove(bound), TAINT_VALUES)
    case 'Lt':
      return ValueSet.integers(bound === undefined ? [] : rangesBelow(bound), TAINT_VALUES)
    default:
      return ValueSet.of([], TAINT_VALUES)
  }
}
