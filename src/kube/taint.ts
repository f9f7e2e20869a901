import { parseCanonicalInt64 } from './int64.ts'
import { isLabelValue, isQualifiedName } from './label.ts'
import type { Taint, Toleration } from './types.ts'

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
