import { NAME_FIELD } from './affinity.ts'
import { isLabelValue, isQualifiedName } from './label.ts'
import { LABEL_OPERATORS } from './requirement.ts'
import { isMap } from './unknown-value.ts'

const COUNTS: Record<string, (count: number) => boolean> = {
  In: (count) => count > 0,
  NotIn: (count) => count > 0,
  Exists: (count) => count === 0,
  DoesNotExist: (count) => count === 0,
  Gt: (count) => count === 1,
  Lt: (count) => count === 1,
}

/**
 * Returns why the API server would refuse a new pod for its required node affinity (`ValidateNodeSelector`), in words;
 * undefined if it accepts it. The scheduler is stricter: the API server accepts a bound that is not an integer, and
 * such a term matches no node.
 */
export function nodeSelectorProblem(terms: readonly unknown[]): string | undefined {
  if (terms.length === 0) return 'required node affinity needs at least one term'
  return firstProblem(terms, (term) => nodeTermProblem(term))
}

/** As `nodeSelectorProblem`, for one term. The API server does not check label values in a preference. */
export function nodeTermProblem(term: unknown, { isPreference = false } = {}): string | undefined {
  if (!isMap(term)) return 'the term is not a map'
  const { matchExpressions, matchFields } = term
  const expressions: unknown = matchExpressions ?? []
  const fields: unknown = matchFields ?? []
  if (!Array.isArray(expressions) || !Array.isArray(fields)) return 'matchExpressions or matchFields is not a list'
  return (
    firstProblem(expressions, (one) => expressionProblem(one, isPreference)) ??
    firstProblem(fields, (one) => fieldProblem(one))
  )
}

function expressionProblem(requirement: unknown, isPreference: boolean): string | undefined {
  const { key, operator, values, problem } = partsOf(requirement)
  if (problem !== undefined) return problem
  const place = `${key} ${operator}`
  if (!Object.hasOwn(COUNTS, operator))
    return `"${operator}" is not a valid operator: use ${LABEL_OPERATORS.join(', ')}`
  if (!isQualifiedName(key)) return `"${key}" is not a label key`
  if (!COUNTS[operator]?.(values.length))
    return `${place} does not take ${values.length} ${values.length === 1 ? 'value' : 'values'}`
  const bad = isPreference ? undefined : values.find((value) => !isLabelValue(value))
  return bad === undefined ? undefined : `"${bad}" is not a label value, in ${place}`
}

function fieldProblem(requirement: unknown): string | undefined {
  const { key, operator, values, problem } = partsOf(requirement)
  if (problem !== undefined) return problem
  if (operator !== 'In' && operator !== 'NotIn')
    return `matchFields takes the operators In and NotIn, not "${operator}"`
  if (values.length !== 1) return `matchFields ${key} ${operator} needs exactly one value`
  return key === NAME_FIELD ? undefined : `matchFields supports only ${NAME_FIELD}, not "${key}"`
}

function partsOf(requirement: unknown): { key: string; operator: string; values: string[]; problem?: string } {
  const { key, operator, values } = isMap(requirement) ? requirement : {}
  const list: unknown = values ?? []
  const isList = Array.isArray(list) && list.every((value) => typeof value === 'string')
  if (typeof key === 'string' && typeof operator === 'string' && isList)
    return { key, operator, values: list as string[] }
  const problem = 'a requirement needs a key and an operator (strings) and values (a list of strings)'
  return { key: '', operator: '', values: [], problem }
}

/** Returns the problem of the first member that has one. */
function firstProblem(
  members: readonly unknown[],
  problemOf: (member: unknown) => string | undefined,
): string | undefined {
  for (const member of members) {
    const problem = problemOf(member)
    if (problem !== undefined) return problem
  }
  return undefined
}
