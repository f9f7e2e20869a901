import { KubeError } from './error.ts'
import { isLabelValue, isQualifiedName } from './label.ts'
import { checkRequirement, checkTypes, LABEL_OPERATORS, meetsRequirement } from './requirements.ts'
import type { Affinity, Labels, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './types.ts'
import { isMap } from './unknown-value.ts'

const FIELD_OPERATORS = ['In', 'NotIn'] as const

/**
 * Whether a pod's nodeSelector and required node affinity admit the node
 * (`nodeaffinity.GetRequiredNodeAffinity(pod).Match`). Terms are alternatives; a term without any requirement
 * matches nothing. Throws `KubeError` when no term matches and one is malformed, as Kubernetes then reports it.
 */
export function matchesNode(
  node: { name: string; labels: Labels },
  pod: { nodeSelector?: Labels; affinity?: Affinity },
): boolean {
  for (const [key, value] of Object.entries(pod.nodeSelector ?? {})) {
    if (!Object.hasOwn(node.labels, key) || node.labels[key] !== value) return false
  }
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required === null || matchesNodeSelector(node, required)
}

/** Whether one of the selector's terms admits the node; a selector without terms admits none. */
export function matchesNodeSelector(node: { name: string; labels: Labels }, selector: NodeSelector): boolean {
  let malformed: KubeError | undefined
  for (const term of termsOf(selector)) {
    try {
      if (matchesTerm(node, term)) return true
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      malformed ??= error
    }
  }
  if (malformed !== undefined) throw malformed
  return false
}

/** Returns the terms of a selector. Throws `KubeError` if they are not a list of maps. */
export function termsOf(selector: NodeSelector): readonly NodeSelectorTerm[] {
  return mapsIn(selector.nodeSelectorTerms, 'nodeSelectorTerms')
}

/**
 * Returns a term's requirements on labels and on fields. Throws `KubeError` if one is malformed
 * (`newNodeSelectorTerm`).
 */
export function requirementsOf(term: NodeSelectorTerm): {
  expressions: readonly NodeSelectorRequirement[]
  fields: readonly NodeSelectorRequirement[]
} {
  const expressions = mapsIn(term.matchExpressions, 'matchExpressions')
  const fields = mapsIn(term.matchFields, 'matchFields')
  for (const expression of expressions) checkRequirement(expression, LABEL_OPERATORS)
  for (const field of fields) checkField(field)
  return { expressions, fields }
}

function matchesTerm(node: { name: string; labels: Labels }, term: NodeSelectorTerm): boolean {
  const { expressions, fields } = requirementsOf(term)
  if (expressions.length === 0 && fields.length === 0) return false
  if (!expressions.every((expression) => meetsRequirement(expression, node.labels))) return false
  if (node.name === '') return true
  return fields.every((field) => meetsField(field, node.name))
}

function checkField(field: NodeSelectorRequirement): void {
  checkTypes(field)
  const { key, operator } = field
  const values = field.values ?? []
  if (!(FIELD_OPERATORS as readonly string[]).includes(operator)) {
    throw new KubeError('NodeSelectorTerm', key, `matchFields takes the operators In and NotIn, not "${operator}"`)
  }
  if (values.length !== 1) {
    throw new KubeError('NodeSelectorTerm', key, `matchFields ${key} ${operator} needs exactly one value`)
  }
}

/** A node has one field, metadata.name; any other is empty (`extractNodeFields`). */
export const NAME_FIELD = 'metadata.name'

function meetsField({ key, operator, values }: NodeSelectorRequirement, name: string): boolean {
  const actual = key === NAME_FIELD ? name : ''
  return (actual === values?.[0]) === (operator === 'In')
}

/** Checks that a value is a list of maps, since nothing has validated it before. Throws `KubeError` if it is not. */
function mapsIn<T extends object>(list: readonly T[] | null | undefined, name: string): readonly T[] {
  const members: unknown = list ?? []
  if (Array.isArray(members) && members.every((one) => typeof one === 'object' && one !== null)) return members as T[]
  throw new KubeError('NodeSelectorTerm', name, `${name} is not a list of maps`)
}

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
