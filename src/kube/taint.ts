import { isLabelValue, isQualifiedName } from './label.ts'
import { parseCanonicalInt64, rangesAbove, rangesBelow } from './quantity.ts'
import type { Taint, Toleration } from './types.ts'
import { TAINT_VALUES, ValueSet } from './value-set.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/**
 * Whether the toleration tolerates the taint (`Toleration.ToleratesTaint`). An empty key or effect tolerates any; no
 * operator means `Equal`. `Gt` and `Lt` compare the values as 64-bit integers, and apply only with
 * `comparisonOperators` (the feature gate TaintTolerationComparisonOperators).
 */
export function tolerates(
  toleration: Toleration,
  taint: Taint,
  options: { comparisonOperators?: boolean } = {},
): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  const wanted = toleration.value ?? ''
  const actual = taint.value ?? ''
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal':
      return wanted === actual
    case 'Exists':
      return true
    case 'Gt':
    case 'Lt':
      return options.comparisonOperators === true && compareIntegers(toleration.operator === 'Gt', actual, wanted)
    default:
      return false
  }
}

function compareIntegers(greater: boolean, actual: string, bound: string): boolean {
  const left = parseCanonicalInt64(actual)
  const right = parseCanonicalInt64(bound)
  if (left === undefined || right === undefined) return false
  return greater ? left > right : left < right
}

/**
 * Returns the first taint that no toleration tolerates, among those with one of the `effects`, or among all if
 * `effects` is missing (`FindMatchingUntoleratedTaint`).
 */
export function untoleratedTaint(taints: Taint[], tolerations: Toleration[], effects?: string[]): Taint | undefined {
  return taints.find(
    (taint) =>
      (effects === undefined || effects.includes(taint.effect)) &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  )
}

/** Formats a taint as kubectl does: `key=value:effect`, or `key:effect` without a value. */
export function taintText({ key, value, effect }: Taint): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`
}

/**
 * Returns a key to sort and compare taints by. Unlike `taintText` it always has the `=`, which sorts a taint without a
 * value elsewhere; inventories are written in this order.
 */
export function taintSortKey({ key, value = '', effect }: Taint): string {
  return `${key}=${value}:${effect}`
}

/**
 * Returns why the API server would refuse a pod with the toleration (`ValidateTolerations`), in words; undefined if
 * valid.
 */
export function tolerationProblem({
  key = '',
  operator = '',
  value = '',
  effect = '',
  tolerationSeconds,
}: Toleration): string | undefined {
  // what a user wrote may be of any type
  const texts: Readonly<Record<string, unknown>> = { key, operator, value, effect }
  const [other] = Object.entries(texts).filter(([, text]) => typeof text !== 'string')
  if (other !== undefined) return `${other[0]} is ${JSON.stringify(other[1])}, not a text`
  if (!['', 'Equal', 'Exists', 'Gt', 'Lt'].includes(operator))
    return `operator "${operator}" is not one of Equal, Exists, Gt and Lt`
  if (effect !== '' && !EFFECTS.includes(effect)) return `effect "${effect}" is not one of ${EFFECTS.join(', ')}`
  if (key === '' && operator !== 'Exists') return 'without a key the operator must be Exists'
  if (key !== '' && !isQualifiedName(key)) return `"${key}" is not the key of a taint`
  if (operator === 'Exists' && value !== '') return 'Exists takes no value'
  if ((operator === '' || operator === 'Equal') && !isLabelValue(value)) return `"${value}" is not the value of a taint`
  if ((operator === 'Gt' || operator === 'Lt') && parseCanonicalInt64(value) === undefined)
    return `${operator} needs a decimal integer, not "${value}"`
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') return 'tolerationSeconds needs the effect NoExecute'
  return undefined
}

/** The effects that keep a pod off a node. */
const EFFECTS_THAT_REPEL = ['NoSchedule', 'NoExecute']

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
    for (const effect of EFFECTS_THAT_REPEL) {
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
