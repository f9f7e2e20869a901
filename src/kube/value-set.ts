import { ALL_INT64, combineRanges, containAllInt64, type Int64Ranges, rangesContain } from './int64.ts'
import { findWitness, LABEL_VALUES, type ValueDomain } from './value-domain.ts'

type Belongs = (inLeft: boolean, inRight: boolean) => boolean

/** A value that shows that a set is not empty; without `value` it is the absence of any. */
export interface ValueWitness {
  readonly value?: string
}

/**
 * A set of the values that one label (or name, or taint) may have, with its absence as one more. Such sets are what
 * `labels.Requirement.Matches` tells apart, joined in any way: they hold or do not hold absence, texts that are no
 * integer, and ranges of integers, all save finitely many exceptions.
 *
 * `has` answers for any text as Kubernetes would; `isEmpty` and `witness` know that a value is a legal one.
 */
export class ValueSet {
  readonly domain: ValueDomain
  readonly #absent: boolean
  readonly #others: boolean
  readonly #ranges: Int64Ranges
  readonly #exceptions: ReadonlySet<string>
  #text: string | undefined

  private constructor(
    domain: ValueDomain,
    absent: boolean,
    others: boolean,
    ranges: Int64Ranges,
    exceptions: ReadonlySet<string> = new Set(),
  ) {
    this.domain = domain
    this.#absent = absent
    this.#others = others
    this.#ranges = ranges
    this.#exceptions = exceptions
  }

  /** Every value, and absence where the domain knows it. */
  static everything(domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, domain.mayBeAbsent, true, ALL_INT64)
  }

  /** These values alone. */
  static of(values: Iterable<string>, domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, false, false, [], new Set(values))
  }

  /** Absence alone. */
  static absent(domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, domain.mayBeAbsent, false, [])
  }

  /** The integers of these ranges, in every spelling. */
  static integers(ranges: Int64Ranges, domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, false, false, ranges)
  }

  /** What is in any of the sets, of one domain. */
  static union(sets: readonly ValueSet[], domain: ValueDomain = LABEL_VALUES): ValueSet {
    const [first = ValueSet.of([], domain), ...more] = sets
    if (more.length === 0) return first
    const middle = sets.length >> 1
    return ValueSet.union(sets.slice(0, middle), domain).or(ValueSet.union(sets.slice(middle), domain))
  }

  /** Whether the set holds the value; undefined is its absence. */
  has(value: string | undefined): boolean {
    if (value === undefined) return this.#absent
    return this.#holdsAsRule(value) !== this.#exceptions.has(value)
  }

  /** What is in both sets, of one domain. */
  and(other: ValueSet): ValueSet {
    if (this.#isListed) return this.#only((value) => other.has(value))
    if (other.#isListed) return other.#only((value) => this.has(value))
    return this.#combine(other, (inLeft, inRight) => inLeft && inRight)
  }

  /** What is in either. */
  or(other: ValueSet): ValueSet {
    return this.#combine(other, (inLeft, inRight) => inLeft || inRight)
  }

  /** What is in this set and not in the other. */
  minus(other: ValueSet): ValueSet {
    if (this.#isListed) return this.#only((value) => !other.has(value))
    return this.#combine(other, (inLeft, inRight) => inLeft && !inRight)
  }

  /** What is not in this set; where absence may be, it is one of the values. */
  complement(): ValueSet {
    return ValueSet.everything(this.domain).minus(this)
  }

  /** Whether some legal value, or absence, is in both sets. */
  meets(other: ValueSet): boolean {
    if ((this.#absent && other.#absent) || (this.#others && other.#others)) return true
    return !this.and(other).isEmpty()
  }

  /** Whether no legal value is in the set, nor absence. */
  isEmpty(): boolean {
    if (this.#absent || this.#others) return false
    if (this.#listed.some((value) => this.domain.isLegal(value))) return false
    return findWitness(this.domain, this.#others, this.#ranges, this.#exceptions) === undefined
  }

  /** A member: one that the set lists, else absence, else a plain text, else an integer; undefined for an empty set. */
  witness(): ValueWitness | undefined {
    const listed = this.#listed.filter((value) => this.domain.isLegal(value)).sort()
    const value = listed.find((one) => one !== '') ?? listed[0]
    if (value !== undefined) return { value }
    if (this.#absent) return {}
    const unlisted = findWitness(this.domain, this.#others, this.#ranges, this.#exceptions)
    return unlisted === undefined ? undefined : { value: unlisted }
  }

  /** The values of a set that is a list of them. */
  get listedValues(): readonly string[] | undefined {
    return this.#isListed ? this.#listed : undefined
  }

  /** Whether the set was made to hold everything. */
  get isEverything(): boolean {
    const { mayBeAbsent } = this.domain
    return this.#absent === mayBeAbsent && this.#others && containAllInt64(this.#ranges) && this.#exceptions.size === 0
  }

  /** A text that is the same for sets that are made alike. */
  get text(): string {
    this.#text ??= JSON.stringify([this.#absent, this.#others, this.#ranges.join(' '), [...this.#exceptions].sort()])
    return this.#text
  }

  /** Whether the set is a list of values. */
  get #isListed(): boolean {
    return !this.#absent && !this.#others && this.#ranges.length === 0
  }

  /** The exceptions that are members. */
  get #listed(): string[] {
    if (this.#isListed) return [...this.#exceptions]
    if (this.#others && containAllInt64(this.#ranges)) return []
    return [...this.#exceptions].filter((value) => this.has(value))
  }

  /** Whether the set holds the value, were there no exceptions. */
  #holdsAsRule(value: string): boolean {
    if (this.#others ? containAllInt64(this.#ranges) : this.#ranges.length === 0) return this.#others
    const integer = this.domain.integerOf(value)
    return integer === undefined ? this.#others : rangesContain(this.#ranges, integer)
  }

  /** Those of a list of values that are to be kept. */
  #only(isKept: (value: string) => boolean): ValueSet {
    return ValueSet.of(this.#listed.filter(isKept), this.domain)
  }

  #combine(other: ValueSet, belongs: Belongs): ValueSet {
    const absent = belongs(this.#absent, other.#absent)
    const others = belongs(this.#others, other.#others)
    const ranges = combineRanges(this.#ranges, other.#ranges, belongs)
    const rule = new ValueSet(this.domain, absent, others, ranges)
    const exceptions = new Set<string>()
    for (const known of [this.#exceptions, other.#exceptions])
      for (const value of known)
        if (belongs(this.has(value), other.has(value)) !== rule.has(value)) exceptions.add(value)
    return new ValueSet(this.domain, absent, others, ranges, exceptions)
  }
}
