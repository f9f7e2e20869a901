import { NAME_FIELD, requirementsOf, termsOf } from './affinity.ts'
import { KubeError } from './error.ts'
import { isQualifiedName } from './label.ts'
import { parseSelector } from './parse-selector.ts'
import { ALL_INT64 } from './quantity.ts'
import { NODE_NAME, type NodeIdentity, type RequirementKey, Requirements, requirementValues } from './requirements.ts'
import type { Affinity, Labels, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './types.ts'
import { NODE_NAMES, ValueSet } from './value-set.ts'

/** A set of nodes, existing or future, as a list of alternatives: a node is in the region if it meets one of them. */
export class Region {
  /** The alternatives that some node can meet. */
  readonly alternatives: readonly Requirements[]

  private constructor(alternatives: readonly Requirements[]) {
    this.alternatives = alternatives
  }

  static readonly everywhere = new Region([Requirements.none])
  static readonly nowhere = new Region([])

  /** Returns the nodes that meet one of the alternatives. */
  static of(alternatives: readonly Requirements[]): Region {
    return new Region(alternatives.filter((one) => !one.isEmpty()))
  }

  /** Returns the nodes that are in any of the regions. */
  static union(regions: readonly Region[]): Region {
    return new Region(mergeRequirements(regions.flatMap(({ alternatives }) => alternatives)))
  }

  /** Whether the node is in the region. */
  has(node: NodeIdentity): boolean {
    return this.alternatives.some((one) => one.has(node))
  }

  /** Whether no node can be in the region. */
  isEmpty(): boolean {
    return this.alternatives.length === 0
  }

  /** Returns a node of the region with no more labels than it needs; undefined for an empty region. */
  witness(): NodeIdentity | undefined {
    return this.alternatives[0]?.witness()
  }

  /**
   * Returns the kinds of node in the region, each as requirements (`Requirements.kinds`): disjoint where the
   * alternatives are. Kinds with equal text are one; at most `limit` of an alternative.
   */
  kinds(limit: number): Requirements[] {
    const kinds = mergeRequirements(this.alternatives).flatMap((one) => one.kinds(limit))
    return [...new Map(kinds.map((one) => [one.textWithout(''), one])).values()]
  }

  /** Returns a node in both regions; undefined if there can be none. */
  sharedNode(other: Region): NodeIdentity | undefined {
    for (const one of this.alternatives) {
      const another = other.alternatives.find((each) => each.meets(one))
      if (another !== undefined) return one.and(another).witness()
    }
    return undefined
  }

  /** Whether some node can be in both regions. */
  meets(other: Region): boolean {
    return this.alternatives.some((one) => other.alternatives.some((another) => one.meets(another)))
  }

  /** Returns the nodes that are in both regions. */
  and(other: Region): Region {
    return Region.of(this.alternatives.flatMap((one) => other.alternatives.map((another) => one.and(another))))
  }

  /** Returns the nodes that are in either region. */
  or(other: Region): Region {
    return Region.union([this, other])
  }

  /**
   * Returns the nodes that are not in the other region; undefined if the computation needs more than `limit`
   * alternatives.
   */
  minus(other: Region, limit: number): Region | undefined {
    const taken = mergeRequirements(other.alternatives)
    const order = keysByUse(taken)
    let left = mergeRequirements(this.alternatives)
    for (const one of taken) {
      left = left.flatMap((part) => part.minus(one, order))
      if (left.length > limit) left = mergeRequirements(left)
      if (left.length > limit) return undefined
    }
    return new Region(left)
  }

  /** The labels that have one and the same value on every node of the region. */
  get fixedLabels(): Labels {
    const [first, ...more] = this.alternatives
    const fixed = (first?.keys ?? []).flatMap((key): Array<[string, string]> => {
      const value = onlyValue(first, key)
      const isFixed = value !== undefined && more.every((one) => onlyValue(one, key) === value)
      return typeof key === 'string' && isFixed ? [[key, value]] : []
    })
    return Object.fromEntries(fixed)
  }
}

function onlyValue(requirements: Requirements | undefined, key: RequirementKey): string | undefined {
  const [value, ...more] = requirements?.valuesOf(key).listedValues ?? []
  return more.length === 0 ? value : undefined
}

/**
 * Merges alternatives that differ in one key only, which leaves the same nodes in fewer alternatives: three hundred
 * groups of one value each become one. Alternatives that share no node still share none.
 */
function mergeRequirements(all: readonly Requirements[]): readonly Requirements[] {
  const keys = keysByUse(all)
  let left = all
  for (const key of [...keys, ...keys]) left = mergedOn(key, left)
  return left
}

interface Use {
  readonly key: RequirementKey
  readonly count: number
  readonly different: number
}

/** Returns every key, sorted by how many alternatives use it, then by how many different value sets it has. */
function keysByUse(all: readonly Requirements[]): RequirementKey[] {
  const uses = new Map<RequirementKey, string[]>()
  for (const one of all)
    for (const key of one.keys) {
      const texts = uses.get(key)
      if (texts === undefined) uses.set(key, [one.valuesOf(key).text])
      else texts.push(one.valuesOf(key).text)
    }
  return [...uses]
    .map(([key, texts]): Use => ({ key, count: texts.length, different: new Set(texts).size }))
    .sort((a, b) => b.count - a.count || b.different - a.different || (String(a.key) < String(b.key) ? -1 : 1))
    .map(({ key }) => key)
}

function mergedOn(key: RequirementKey, all: readonly Requirements[]): readonly Requirements[] {
  if (all.length < 2) return all
  const alike = new Map<string, Requirements[]>()
  for (const one of all) {
    const text = one.textWithout(key)
    const members = alike.get(text)
    if (members === undefined) alike.set(text, [one])
    else members.push(one)
  }
  return [...alike.values()].flatMap((members) => {
    const [first, ...more] = members
    if (first === undefined || more.length === 0) return members
    const values = members.map((one) => one.valuesOf(key))
    return [first.with(key, ValueSet.union(values, values[0]?.domain))]
  })
}

/** The fields of a pod that restrict it to nodes. A field that is absent or null restricts nothing. */
export interface PodPlacement {
  readonly nodeName?: string | null
  readonly nodeSelector?: Labels | null
  readonly affinity?: Affinity | null
}

type KeyValues = readonly [RequirementKey, ValueSet]

/**
 * Returns the nodes that a pod's nodeName, nodeSelector and required node affinity allow, without regard to taints
 * (`nodeaffinity.GetRequiredNodeAffinity`, and `NodeShouldRunDaemonPod` for the name). Throws `KubeError` if any term
 * is malformed, even beside valid ones.
 */
export function regionOfPod({ nodeName, nodeSelector, affinity }: PodPlacement): Region {
  const always = Region.of([Requirements.of([...namedValues(nodeName), ...selectedValues(nodeSelector ?? {})])])
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required === null ? always : always.and(regionOfNodeSelector(required))
}

/**
 * Returns the nodes that match one of the selector's terms (`nodeaffinity.NewNodeSelector`); no terms match no node.
 */
export function regionOfNodeSelector(selector: NodeSelector): Region {
  return Region.of(termsOf(selector).flatMap(requirementsOfTerm))
}

/**
 * Returns the nodes whose labels match a selector, as text (`parseSelector`) or as a map of labels, in which null means
 * that the label is absent; and whose labels `notInteger` are no integers. Undefined for a selector that requires
 * nothing. Throws `KubeError` if it is malformed.
 */
export function regionOfLabels(
  selector: string | Readonly<Record<string, string | null>>,
  notInteger: readonly string[] = [],
): Region | undefined {
  const expressions =
    typeof selector === 'string'
      ? (parseSelector(selector).matchExpressions ?? [])
      : Object.entries(selector).map(([key, value]) =>
          value === null ? { key, operator: 'DoesNotExist' } : { key, operator: 'In', values: [value] },
        )
  if (expressions.length === 0) return undefined
  const malformed = notInteger.find((key) => !isQualifiedName(key))
  if (malformed !== undefined) throw new KubeError('SelectorKey', malformed, `"${malformed}" is not a label key`)
  const texts = ValueSet.integers(ALL_INT64).complement()
  const required = expressions.map((one): KeyValues => [one.key, requirementValues(one)])
  return Region.of([Requirements.of([...required, ...notInteger.map((key): KeyValues => [key, texts])])])
}

/** A term without requirements matches no node. */
function requirementsOfTerm(term: NodeSelectorTerm): Requirements[] {
  const { expressions, fields } = requirementsOf(term)
  if (expressions.length === 0 && fields.length === 0) return []
  const labels = expressions.map((expression): KeyValues => [expression.key, requirementValues(expression)])
  return [Requirements.of([...labels, ...fields.map(fieldValues)])]
}

/**
 * Returns the node names that meet a requirement on a field. Every field except metadata.name is empty on a node, so
 * such a requirement allows all names or none.
 */
function fieldValues({ key, operator, values }: NodeSelectorRequirement): KeyValues {
  const names = ValueSet.of(values ?? [], NODE_NAMES)
  if (key === NAME_FIELD) return [NODE_NAME, operator === 'In' ? names : names.complement()]
  const isMet = (values?.[0] === '') === (operator === 'In')
  return [NODE_NAME, isMet ? ValueSet.everything(NODE_NAMES) : ValueSet.of([], NODE_NAMES)]
}

function namedValues(nodeName: string | null | undefined): KeyValues[] {
  return nodeName ? [[NODE_NAME, ValueSet.of([nodeName], NODE_NAMES)]] : []
}

/** A key that is not a label key, or a value that is not text, is on no node. */
function selectedValues(nodeSelector: Labels): KeyValues[] {
  return Object.entries(nodeSelector).map(([key, value]) => {
    const canBe = typeof value === 'string' && isQualifiedName(key)
    return [key, ValueSet.of(canBe ? [value] : [])]
  })
}

/** Two regions that share a node, by index, and one node in both. */
export interface RegionOverlap {
  readonly earlier: number
  readonly later: number
  readonly node: NodeIdentity
}

interface Entry {
  readonly region: number
  readonly requirements: Requirements
}

/**
 * Returns the first region that shares a node with an earlier one; undefined if none does. To avoid comparing all
 * pairs, it compares a region only with those that list the same value for the most selective key, and with those that
 * list none.
 */
export function firstOverlap(regions: readonly Region[]): RegionOverlap | undefined {
  const entries = regions.flatMap(({ alternatives }, region) =>
    alternatives.map((requirements): Entry => ({ region, requirements })),
  )
  const key = mostSelectiveKey(entries)
  const seen: Entry[] = []
  const open: Entry[] = []
  const byValue = new Map<string, Entry[]>()
  for (const entry of entries) {
    const values = key === undefined ? undefined : entry.requirements.valuesOf(key).listedValues
    const near = values === undefined ? seen : [...open, ...values.flatMap((value) => byValue.get(value) ?? [])]
    const other = near.find(
      ({ region, requirements }) => region !== entry.region && requirements.meets(entry.requirements),
    )
    const node = other?.requirements.and(entry.requirements).witness()
    if (other !== undefined && node !== undefined) return { earlier: other.region, later: entry.region, node }
    seen.push(entry)
    if (values === undefined) open.push(entry)
    for (const value of values ?? []) {
      const sameValue = byValue.get(value)
      if (sameValue === undefined) byValue.set(value, [entry])
      else sameValue.push(entry)
    }
  }
  return undefined
}

/** Returns the key with the most listed values. */
function mostSelectiveKey(entries: readonly Entry[]): RequirementKey | undefined {
  const listed = new Map<RequirementKey, Set<string>>()
  for (const { requirements } of entries)
    for (const key of requirements.keys) {
      const values = listed.get(key) ?? new Set()
      listed.set(key, values)
      for (const value of requirements.valuesOf(key).listedValues ?? []) values.add(value)
    }
  return [...listed].sort(([, left], [, right]) => right.size - left.size)[0]?.[0]
}
