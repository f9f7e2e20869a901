import type { Labels } from './types.ts'
import { LABEL_VALUES, NODE_NAMES } from './value-domain.ts'
import { ValueSet } from './value-set.ts'

/** Stands for a node's name among the keys of its labels: a label may be called metadata.name, too. */
export const NODE_NAME = Symbol('metadata.name')

/** What a node is asked about: a label, or its name. */
export type RequirementKey = string | typeof NODE_NAME

/** A node as requirements see it. */
export type NodeIdentity = { readonly name: string; readonly labels: Labels }

/**
 * Requirements that a node must meet all of: for each key the values it may have. Keys are independent of each other,
 * so some node meets them unless one key is left without a value.
 */
export class Requirements {
  readonly #sets: ReadonlyMap<RequirementKey, ValueSet>
  #isEmpty: boolean | undefined
  #texts: ReadonlyArray<readonly [RequirementKey, string]> | undefined

  private constructor(sets: ReadonlyMap<RequirementKey, ValueSet>) {
    this.#sets = sets
  }

  /** What every node meets. */
  static readonly none = new Requirements(new Map())

  /** All of several requirements; several on one key are joined. */
  static of(sets: Iterable<readonly [RequirementKey, ValueSet]>): Requirements {
    const joined = new Map<RequirementKey, ValueSet>()
    for (const [key, set] of sets) if (!set.isEverything) joined.set(key, joined.get(key)?.and(set) ?? set)
    return new Requirements(joined)
  }

  /** The keys that are asked about. */
  get keys(): RequirementKey[] {
    return [...this.#sets.keys()]
  }

  /** The values a key may have. */
  valuesOf(key: RequirementKey): ValueSet {
    return this.#sets.get(key) ?? ValueSet.everything(key === NODE_NAME ? NODE_NAMES : LABEL_VALUES)
  }

  /** A text that is the same for requirements that are made alike, one key left aside. */
  textWithout(key: RequirementKey): string {
    this.#texts ??= [...this.#sets].map(([own, set]) => [own, `${String(own)} ${set.text}`] as const).sort(byText)
    return this.#texts.map(([own, text]) => (own === key ? '' : text)).join('')
  }

  /** The same with other values for a key. */
  with(key: RequirementKey, values: ValueSet): Requirements {
    const sets = new Map(this.#sets)
    if (values.isEverything) sets.delete(key)
    else sets.set(key, values)
    return new Requirements(sets)
  }

  /** Whether a node meets them all. */
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

  /** Both. */
  and(other: Requirements): Requirements {
    return Requirements.of([...this.#sets, ...other.#sets])
  }

  /** Whether a node can meet both. */
  meets(other: Requirements): boolean {
    if (this.isEmpty() || other.isEmpty()) return false
    for (const [key, set] of this.#sets) {
      const others = other.#sets.get(key)
      if (others !== undefined && !others.meets(set)) return false
    }
    return true
  }

  /**
   * What is left without the other's nodes, in parts that share no node, at most one for each of its keys. Keys are taken
   * in the given order: the first part fails the first key, the next meets it and fails the second, and so on.
   */
  minus(other: Requirements, order: readonly RequirementKey[] = other.keys): Requirements[] {
    if (!this.meets(other)) return [this]
    const parts: Requirements[] = []
    let rest: Requirements = this
    for (const key of order) {
      const others = other.#sets.get(key)
      if (others === undefined) continue
      const own = rest.valuesOf(key)
      const outside = own.minus(others)
      if (outside.isEmpty()) continue
      parts.push(rest.with(key, outside))
      rest = rest.with(key, own.and(others))
    }
    return parts
  }

  /** A node that meets them, with no more labels than that takes; undefined where none can. */
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

function byText([, left]: readonly [unknown, string], [, right]: readonly [unknown, string]): number {
  return left < right ? -1 : 1
}
