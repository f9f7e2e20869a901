import { isDns1123Label, isQualifiedName } from './label.ts'
import { labelSelectorProblem } from './label-selector.ts'
import { matchKeysProblem } from './topology-spread.ts'
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
export interface PlacedProblem {
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
