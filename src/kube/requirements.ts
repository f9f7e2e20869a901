import { KubeError } from './error.ts'
import { isLabelValue, isQualifiedName } from './label.ts'
import { INT64_MAX, INT64_MIN, parseInt64, rangesAbove, rangesBelow } from './quantity.ts'
import type { Labels } from './types.ts'
import { LABEL_VALUES, NODE_NAMES, ValueSet } from './value-set.ts'

/** The key for a node's name. A symbol, because a label may also be called metadata.name. */
export const NODE_NAME = Symbol('metadata.name')

/** A label key, or the node's name. */
export type RequirementKey = string | typeof NODE_NAME

/** The parts of a node that requirements test. */
export type NodeIdentity = { readonly name: string; readonly labels: Labels }

/**
 * Requirements that a node must all meet: for each key the values it may have. Keys are independent of each other, so
 * some node meets them unless a key has no value left.
 */
export class Requirements {
  readonly #sets: ReadonlyMap<RequirementKey, ValueSet>
  #isEmpty: boolean | undefined
  #texts: ReadonlyArray<readonly [RequirementKey, string]> | undefined

  private constructor(sets: ReadonlyMap<RequirementKey, ValueSet>) {
    this.#sets = sets
  }

  /** Requirements that every node meets. */
  static readonly none = new Requirements(new Map())

  /** Returns the conjunction of requirements; several on one key are intersected. */
  static of(sets: Iterable<readonly [RequirementKey, ValueSet]>): Requirements {
    const joined = new Map<RequirementKey, ValueSet>()
    for (const [key, set] of sets) if (!set.isEverything) joined.set(key, joined.get(key)?.and(set) ?? set)
    return new Requirements(joined)
  }

  /** The keys with a requirement. */
  get keys(): RequirementKey[] {
    return [...this.#sets.keys()]
  }

  /** Returns the values that a key may have. */
  valuesOf(key: RequirementKey): ValueSet {
    return this.#sets.get(key) ?? ValueSet.everything(key === NODE_NAME ? NODE_NAMES : LABEL_VALUES)
  }

  /** Returns a text that is equal for requirements built alike, with one key ignored. */
  textWithout(key: RequirementKey): string {
    this.#texts ??= [...this.#sets].map(([own, set]) => [own, `${String(own)} ${set.text}`] as const).sort(byText)
    return this.#texts.map(([own, text]) => (own === key ? '' : text)).join('')
  }

  /** Returns these requirements with the given values for a key. */
  with(key: RequirementKey, values: ValueSet): Requirements {
    const sets = new Map(this.#sets)
    if (values.isEverything) sets.delete(key)
    else sets.set(key, values)
    return new Requirements(sets)
  }

  /** Whether a node meets all of them. */
  has({ name, labels }: NodeIdentity): boolean {
    for (const [key, set] of this.#sets) {
      if (!set.has(key === NODE_NAME ? name : Object.hasOwn(labels, key) ? labels[key] : undefined)) return false
    }
    return true
  }

  /** Whether no node can meet them. */
  isEmpty(): boolean {
    this.#isEmpty ??= [...this.#sets.values()].some((set) => set.isEmpty())
    return this.#isEmpty
  }

  /** Returns requirements that are met by the nodes that meet both. */
  and(other: Requirements): Requirements {
    return Requirements.of([...this.#sets, ...other.#sets])
  }

  /** Whether some node can meet both. */
  meets(other: Requirements): boolean {
    if (this.isEmpty() || other.isEmpty()) return false
    for (const [key, set] of this.#sets) {
      const others = other.#sets.get(key)
      if (others !== undefined && !others.meets(set)) return false
    }
    return true
  }

  /**
   * Returns the nodes that do not meet the other requirements, in disjoint parts, at most one for each key. Keys are
   * taken in order: the first part fails the first key, the second meets the first key and fails the second, and so on.
   */
  minus(other: Requirements, order: readonly RequirementKey[] = other.keys): Requirements[] {
    if (!this.meets(other)) return [this]
    const parts: Requirements[] = []
    let rest: Requirements = this
    for (const key of order) {
      const others = other.#sets.get(key)
      if (others === undefined) continue
      const values = rest.valuesOf(key)
      const outside = values.minus(others)
      if (outside.isEmpty()) continue
      parts.push(rest.with(key, outside))
      rest = rest.with(key, values.and(others))
    }
    return parts
  }

  /**
   * Returns disjoint parts that differ in the kind of value of a label (`ValueSet.kinds`); at most `limit`, beyond
   * which a label is not told apart.
   */
  kinds(limit: number): Requirements[] {
    let parts: Requirements[] = [this]
    for (const [key, set] of this.#sets) {
      const kinds = typeof key === 'string' ? set.kinds() : []
      if (kinds.length > 1 && parts.length * kinds.length <= limit)
        parts = parts.flatMap((part) => kinds.map((values) => part.with(key, values)))
    }
    return parts
  }

  /**
   * Returns the text of a label selector, as `parseSelector` reads it, that every node meeting the requirements
   * matches, and as few others as a selector can tell apart (`ValueSet.selectorOn`). Empty where no label is required.
   */
  get selectorText(): string {
    const keys = this.keys.filter((key) => typeof key === 'string').sort()
    return keys.flatMap((key) => this.valuesOf(key).selectorOn(key).map(requirementText)).join(',')
  }

  /** The labels that must not be integers, sorted, which `selectorText` cannot express. */
  get keysWithoutIntegers(): string[] {
    const keys = this.keys.filter((key) => typeof key === 'string')
    return keys.filter((key) => this.valuesOf(key).isWithoutIntegers).sort()
  }

  /** Returns a node that meets all of them, with no more labels than it needs; undefined if no node can. */
  witness(): NodeIdentity | undefined {
    const name = this.valuesOf(NODE_NAME).witness()?.value
    if (name === undefined) return undefined
    const labels: Array<[string, string]> = []
    for (const [key, set] of this.#sets) {
      if (typeof key !== 'string') continue
      const witness = set.witness()
      if (witness === undefined) return undefined
      if (witness.value !== undefined) labels.push([key, witness.value])
    }
    return { name, labels: Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1))) }
  }
}

/** Formats a requirement as `kubectl -l` takes it. */
function requirementText({ key, operator, values = [] }: { key: string; operator: string; values?: string[] }): string {
  const [first = ''] = values
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${first}` : `${key} in (${values.join(',')})`
    case 'NotIn':
      return values.length === 1 ? `${key}!=${first}` : `${key} notin (${values.join(',')})`
    case 'Exists':
      return key
    case 'DoesNotExist':
      return `!${key}`
    default:
      return `${key}${operator === 'Gt' ? '>' : '<'}${first}`
  }
}

function byText([, left]: readonly [unknown, string], [, right]: readonly [unknown, string]): number {
  return left < right ? -1 : 1
}

/** The operators of a requirement on labels. */
export const LABEL_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const

/** One condition on a label: the common form of label selectors and node affinity expressions. */
export interface Requirement {
  key: string
  operator: string
  values?: string[] | null
}

/**
 * Whether the labels meet the requirement (`labels.Requirement.Matches`). An absent label meets `NotIn` and
 * `DoesNotExist` alone; `Gt` and `Lt` compare 64-bit integers and fail on anything else.
 */
export function meetsRequirement(requirement: Requirement, labels: Labels): boolean {
  const { key, operator } = requirement
  const values = requirement.values ?? []
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default: {
      const actual = typeof value === 'string' ? parseInt64(value) : undefined
      const bound = parseInt64(values[0] ?? '')
      if (actual === undefined || bound === undefined) return false
      return operator === 'Gt' ? actual > bound : actual < bound
    }
  }
}

/** Throws `KubeError` if a requirement has the wrong types, which the API server could not even decode. */
export function checkTypes(requirement: Requirement): void {
  const { key, operator, values } = (requirement ?? {}) as { key?: unknown; operator?: unknown; values?: unknown }
  const list = values ?? []
  const isList = Array.isArray(list) && list.every((value) => typeof value === 'string')
  if (typeof key !== 'string' || typeof operator !== 'string' || !isList) {
    const sentence = 'a requirement needs a key and an operator (strings) and values (a list of strings)'
    throw new KubeError('SelectorSyntax', '', sentence)
  }
}

/** Throws `KubeError` where `labels.NewRequirement` returns an error. */
export function checkRequirement(requirement: Requirement, operators: readonly string[]): void {
  checkTypes(requirement)
  const { key, operator } = requirement
  const values = requirement.values ?? []
  const place = `${key} ${operator}`
  if (!operators.includes(operator)) {
    throw new KubeError('SelectorOperator', place, `"${operator}" is not a valid operator: use ${operators.join(', ')}`)
  }
  if (!isQualifiedName(key)) {
    throw new KubeError(
      'SelectorKey',
      key,
      `"${key}" is not a label key: a name of at most 63 characters with an optional DNS prefix and slash`,
    )
  }
  const count = values.length
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    throw new KubeError('SelectorValues', place, `${place} needs at least one value`)
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count !== 0) {
    throw new KubeError('SelectorValues', place, `${place} takes no values`)
  }
  if (operator === 'Gt' || operator === 'Lt') {
    if (count !== 1 || parseInt64(values[0] ?? '') === undefined) {
      throw new KubeError('SelectorValues', place, `${place} needs exactly one integer`)
    }
  }
  for (const value of values) {
    if (!isLabelValue(value))
      throw new KubeError('SelectorValues', value, `"${value}" is not a label value, in ${place}`)
  }
}

/**
 * Returns the label values that meet a requirement (`labels.Requirement.Matches`). Throws `KubeError` where
 * `labels.NewRequirement` returns an error.
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
