import { type NodeIdentity, type RequirementKey, Requirements } from './requirements.ts'
import type { Labels } from './types.ts'
import { ValueSet } from './value-set.ts'

/**
 * A set of nodes: those that meet one of several alternatives. It holds nodes that exist and nodes that may come; each
 * has a name, and labels that the API server takes.
 */
export class Region {
  /** The alternatives; none that no node can meet. */
  readonly alternatives: readonly Requirements[]

  private constructor(alternatives: readonly Requirements[]) {
    this.alternatives = alternatives
  }

  static readonly everywhere = new Region([Requirements.none])
  static readonly nowhere = new Region([])

  /** The nodes that meet one of the alternatives. */
  static of(alternatives: readonly Requirements[]): Region {
    return new Region(alternatives.filter((one) => !one.isEmpty()))
  }

  /** The nodes of any of the regions. */
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

  /** A node of the region: it has the labels it needs and no other. Undefined for an empty region. */
  witness(): NodeIdentity | undefined {
    return this.alternatives[0]?.witness()
  }

  /** Whether some node can be in both. */
  meets(other: Region): boolean {
    return this.alternatives.some((one) => other.alternatives.some((another) => one.meets(another)))
  }

  /** The nodes of both. */
  and(other: Region): Region {
    return Region.of(this.alternatives.flatMap((one) => other.alternatives.map((another) => one.and(another))))
  }

  /** The nodes of either. */
  or(other: Region): Region {
    return Region.union([this, other])
  }

  /**
   * The nodes that are not in the other region. Undefined where that takes more than `limit` alternatives on the way: what
   * is asked then is not known.
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

  /** The labels that every node of the region has with one value. */
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
 * The same nodes in fewer alternatives: those that differ in one key alone become one, with the values of all. Three
 * hundred groups of one value each, and what remains beside them, are one alternative then. Alternatives that share no
 * node still share none.
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

/** Every key that is asked about: first those that most alternatives ask about, then those with most sets of values. */
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
