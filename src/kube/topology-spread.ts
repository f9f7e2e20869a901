import { isQualifiedName } from './label.ts'
import { labelSelectorProblem, repeatedKeys } from './label-selector.ts'
import { isMap, quoted } from './unknown-value.ts'

const INT32_MAX = 2 ** 31 - 1
const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway']
const POLICIES = ['Honor', 'Ignore']
const FIELDS = [
  'maxSkew',
  'topologyKey',
  'whenUnsatisfiable',
  'labelSelector',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'matchLabelKeys',
]

/**
 * Returns, for each topology spread constraint of a pod, why the API server would refuse it, in words; undefined for a
 * valid one (`validateTopologySpreadConstraints`). A constraint with the same topologyKey and whenUnsatisfiable as an
 * earlier one is refused.
 */
export function spreadProblems(constraints: readonly unknown[]): Array<string | undefined> {
  const seen = new Set<string>()
  return constraints.map((constraint) => {
    if (!isMap(constraint)) return 'the constraint is not a map'
    const { topologyKey, whenUnsatisfiable } = constraint
    const pair = [topologyKey, whenUnsatisfiable].map(quoted).join(' and ')
    if (seen.has(pair)) return `topologyKey and whenUnsatisfiable are ${pair}, the same as in an earlier constraint`
    seen.add(pair)
    return spreadProblem(constraint)
  })
}

function spreadProblem(constraint: Record<string, unknown>): string | undefined {
  const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector, matchLabelKeys } = constraint
  const unknown = Object.keys(constraint).find((key) => !FIELDS.includes(key))
  if (unknown !== undefined) return `the constraint has the unknown field ${unknown}`
  if (!isCount(maxSkew)) return `maxSkew is ${quoted(maxSkew)}, not a positive integer`
  if (typeof topologyKey !== 'string' || topologyKey === '') return 'topologyKey is missing'
  if (!UNSATISFIABLE.includes(whenUnsatisfiable as string))
    return `whenUnsatisfiable is ${quoted(whenUnsatisfiable)}, not ${UNSATISFIABLE.join(' or ')}`
  if (isGiven(minDomains) && !isCount(minDomains)) return `minDomains is ${quoted(minDomains)}, not a positive integer`
  if (isGiven(minDomains) && whenUnsatisfiable !== 'DoNotSchedule')
    return 'minDomains requires whenUnsatisfiable: DoNotSchedule'
  for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
    const policy = constraint[name]
    if (isGiven(policy) && !POLICIES.includes(policy as string))
      return `${name} is ${quoted(policy)}, not ${POLICIES.join(' or ')}`
  }
  return matchKeysProblem('matchLabelKeys', matchLabelKeys, labelSelector) ?? labelSelectorProblem(labelSelector)
}

/**
 * Returns why the API server would refuse matchLabelKeys or mismatchLabelKeys (`validateLabelKeys`). The API server
 * adds matchLabelKeys to the selector as expressions, so the selector must not use the same keys.
 */
export function matchKeysProblem(name: string, keys: unknown, selector: unknown): string | undefined {
  if (!isGiven(keys)) return undefined
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string')) return `${name} is not a list of strings`
  if (keys.length === 0) return undefined
  if (!isGiven(selector)) return `${name} requires a labelSelector`
  const bad = keys.find((key) => !isQualifiedName(key))
  if (bad !== undefined) return `${name} has "${bad}", which is not a label key`
  if (name !== 'matchLabelKeys') return undefined
  const twice = keys.find((key) => repeatedKeys(selector).includes(key))
  return twice === undefined ? undefined : `${name} has ${twice}, which the labelSelector already uses`
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= INT32_MAX
}
