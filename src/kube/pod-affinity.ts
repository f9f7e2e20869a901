import { isDns1123Label, isQualifiedName } from './label.ts'
import { labelSelectorProblem, repeatedKeys } from './label-selector.ts'
import { isMap, quoted } from './unknown-value.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const TERM_FIELDS = [
  'labelSelector',
  'namespaces',
  'namespaceSelector',
  'topologyKey',
  'matchLabelKeys',
  'mismatchLabelKeys',
]

/** A problem and the path below the field where it is. */
interface PlacedProblem {
  readonly path: string
  readonly problem: string
}

/**
 * Returns why the API server would refuse a pod's pod affinity or anti-affinity (`validatePodAffinityTerms`), term by
 * term.
 */
export function podAffinityProblems(affinity: unknown): PlacedProblem[] {
  if (affinity === undefined || affinity === null) return []
  if (!isMap(affinity)) return [{ path: '', problem: 'is not a map' }]
  return [
    ...listProblems(affinity[REQUIRED], REQUIRED, termProblem),
    ...listProblems(affinity[PREFERRED], PREFERRED, weightedProblem),
  ]
}

/** Whether a value is a valid weight of a preference: an integer from 1 to 100. */
export function isWeight(weight: unknown): boolean {
  return typeof weight === 'number' && Number.isInteger(weight) && weight >= 1 && weight <= 100
}

function listProblems(
  list: unknown,
  name: string,
  problemOf: (member: unknown) => string | undefined,
): PlacedProblem[] {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) return [{ path: `.${name}`, problem: 'is not a list' }]
  return list.flatMap((member, index) => {
    const problem = problemOf(member)
    return problem === undefined ? [] : [{ path: `.${name}.${index}`, problem }]
  })
}

function weightedProblem(entry: unknown): string | undefined {
  if (!isMap(entry)) return 'the preference is not a map'
  const { weight, podAffinityTerm } = entry
  const unknown = Object.keys(entry).find((key) => key !== 'weight' && key !== 'podAffinityTerm')
  if (unknown !== undefined) return `the preference has the unknown field ${unknown}`
  if (!isWeight(weight)) return `weight is ${quoted(weight)}, not an integer from 1 to 100`
  return termProblem(podAffinityTerm)
}

function termProblem(term: unknown): string | undefined {
  if (!isMap(term)) return 'podAffinityTerm is not a map'
  const { labelSelector, namespaces, namespaceSelector, topologyKey, matchLabelKeys, mismatchLabelKeys } = term
  const unknown = Object.keys(term).find((key) => !TERM_FIELDS.includes(key))
  if (unknown !== undefined) return `the term has the unknown field ${unknown}`
  if (typeof topologyKey !== 'string' || topologyKey === '') return 'topologyKey is missing'
  if (!isQualifiedName(topologyKey)) return `topologyKey is "${topologyKey}", which is not a label key`
  const names: unknown = namespaces ?? []
  if (!Array.isArray(names)) return 'namespaces is not a list'
  const bad = names.find((name) => typeof name !== 'string' || !isDns1123Label(name))
  if (bad !== undefined) return `namespaces has ${quoted(bad)}, which is not a namespace name`
  const keys = (list: unknown) => (Array.isArray(list) ? list : [])
  const both = keys(matchLabelKeys).find((key) => keys(mismatchLabelKeys).includes(key))
  if (both !== undefined) return `matchLabelKeys and mismatchLabelKeys both have ${quoted(both)}`
  return (
    matchKeysProblem('matchLabelKeys', matchLabelKeys, labelSelector) ??
    matchKeysProblem('mismatchLabelKeys', mismatchLabelKeys, labelSelector) ??
    labelSelectorProblem(labelSelector) ??
    labelSelectorProblem(namespaceSelector)
  )
}

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
function matchKeysProblem(name: string, keys: unknown, selector: unknown): string | undefined {
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
