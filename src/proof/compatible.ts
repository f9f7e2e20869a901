import type { NodeSelectorRequirement } from '../kube/index.ts'
import type { Terms } from '../sizing/index.ts'
import type { Place } from './place.ts'

/** Whether a node could exist that both places admit. Numeric bounds are taken for ones that some value meets. */
export function areCompatible(left: Place, right: Place): boolean {
  const selectors = [left, right].flatMap(({ nodeSelector }) =>
    Object.entries(nodeSelector).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
  )
  return alternatives(left.terms).some((one) =>
    alternatives(right.terms).some((other) => isSatisfiable([...selectors, ...one, ...other])),
  )
}

/** The requirements of each term; no terms at all is one alternative without requirements. */
function alternatives(terms: Terms): NodeSelectorRequirement[][] {
  return terms === undefined ? [[]] : terms.map(({ matchExpressions }) => matchExpressions ?? [])
}

/** Keys are independent of each other, so each needs a value, or an absence, that meets all its requirements. */
function isSatisfiable(requirements: readonly NodeSelectorRequirement[]): boolean {
  const keys = new Set(requirements.map(({ key }) => key))
  return [...keys].every((key) => hasValue(requirements.filter((one) => one.key === key)))
}

function hasValue(requirements: readonly NodeSelectorRequirement[]): boolean {
  const of = (operator: string) =>
    requirements.filter((one) => one.operator === operator).map(({ values }) => values ?? [])
  const needsPresence = requirements.some(({ operator }) => ['In', 'Exists', 'Gt', 'Lt'].includes(operator))
  if (of('DoesNotExist').length > 0) return !needsPresence
  const allowed = of('In')
  const excluded = new Set(of('NotIn').flat())
  if (allowed.length === 0) return true
  return (allowed[0] ?? []).some((value) => allowed.every((values) => values.includes(value)) && !excluded.has(value))
}
