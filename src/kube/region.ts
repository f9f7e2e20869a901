import { type NodeIdentity, type RequirementKey, Requirements } from './requirements.ts'
import type { Labels } from './types.ts'
import { ValueSet } from './value-set.ts'

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
