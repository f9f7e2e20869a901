import {
  ALL_INT64,
  combineRanges,
  containAllInt64,
  INT64_MAX,
  INT64_MIN,
  type Int64Ranges,
  rangesContain,
} from './int64.ts'
import { findWitness, LABEL_VALUES, type ValueDomain } from './value-domain.ts'

type Belongs = (inLeft: boolean, inRight: boolean) => boolean

/** A member of a set; without `value` the member is absence. */
export interface ValueWitness {
  readonly value?: string
}

/**
 * A set of the values that a label, node name or taint may have; absence is one of them. It can represent what
 * `labels.Requirement.Matches` distinguishes, in any combination: absence, texts that are not integers, and ranges of
 * integers, each as a whole, with finitely many exceptions.
 *
 * `has` takes any text, as Kubernetes does; `isEmpty` and `witness` count legal values only.
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

  /** Returns every value, and absence if the domain has it. */
  static everything(domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, domain.mayBeAbsent, true, ALL_INT64)
  }

  /** Returns the listed values only. */
  static of(values: Iterable<string>, domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, false, false, [], new Set(values))
  }

  /** Returns absence only. */
  static absent(domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, domain.mayBeAbsent, false, [])
  }

  /** Returns the integers of the ranges, in every spelling. */
  static integers(ranges: Int64Ranges, domain: ValueDomain = LABEL_VALUES): ValueSet {
    return new ValueSet(domain, false, false, ranges)
  }

  /** Returns the union of sets of one domain. */
  static union(sets: readonly ValueSet[], domain: ValueDomain = LABEL_VALUES): ValueSet {
    const [first = ValueSet.of([], domain), ...more] = sets
    if (more.length === 0) return first
    const middle = sets.length >> 1
    return ValueSet.union(sets.slice(0, middle), domain).or(ValueSet.union(sets.slice(middle), domain))
  }

  /** Whether the set contains the value; undefined is absence. */
  has(value: string | undefined): boolean {
    if (value === undefined) return this.#absent
    return this.#holdsAsRule(value) !== this.#exceptions.has(value)
  }

  /** Returns the intersection with a set of the same domain. */
  and(other: ValueSet): ValueSet {
    if (this.#isListed) return this.#only((value) => other.has(value))
    if (other.#isListed) return other.#only((value) => this.has(value))
    return this.#combine(other, (inLeft, inRight) => inLeft && inRight)
  }

  /** Returns the union with a set of the same domain. */
  or(other: ValueSet): ValueSet {
    return this.#combine(other, (inLeft, inRight) => inLeft || inRight)
  }

  /** Returns the values of this set that the other does not contain. */
  minus(other: ValueSet): ValueSet {
    if (this.#isListed) return this.#only((value) => !other.has(value))
    return this.#combine(other, (inLeft, inRight) => inLeft && !inRight)
  }

  /** Returns the values that are not in this set, absence included if the domain has it. */
  complement(): ValueSet {
    return ValueSet.everything(this.domain).minus(this)
  }

  /** Whether both sets contain some legal value, or absence. */
  meets(other: ValueSet): boolean {
    if ((this.#absent && other.#absent) || (this.#others && other.#others)) return true
    return !this.and(other).isEmpty()
  }

  /** Whether the set contains neither a legal value nor absence. */
  isEmpty(): boolean {
    if (this.#absent || this.#others) return false
    if (this.#listed.some((value) => this.domain.isLegal(value))) return false
    return findWitness(this.domain, this.#others, this.#ranges, this.#exceptions) === undefined
  }

  /** Returns a member: a listed value, else absence, else a plain text, else an integer; undefined for an empty set. */
  witness(): ValueWitness | undefined {
    const listed = this.#listed.filter((value) => this.domain.isLegal(value)).sort()
    const value = listed.find((one) => one !== '') ?? listed[0]
    if (value !== undefined) return { value }
    if (this.#absent) return {}
    const unlisted = findWitness(this.domain, this.#others, this.#ranges, this.#exceptions)
    return unlisted === undefined ? undefined : { value: unlisted }
  }

  /**
   * Returns disjoint parts that together are the set, one for each kind of value: absence, listed values, texts that
   * are not integers, and each range of integers. Texts and integers are one kind where the set contains all of both
   * but for exceptions, and with absence the same kind: what `NotIn` requires.
   */
  kinds(): ValueSet[] {
    const absent = ValueSet.absent(this.domain)
    const listed = ValueSet.of(this.#listed, this.domain)
    const texts = new ValueSet(this.domain, false, true, [])
    if (this.#others && containAllInt64(this.#ranges)) return [this]
    const rules = [texts, ...this.#ranges.map((range) => ValueSet.integers([range], this.domain))]
    const parts = [absent, listed, ...rules.map((rule) => rule.minus(listed))]
    return parts.map((part) => part.and(this)).filter((part) => !part.isEmpty())
  }

  /**
   * Returns what a label selector can require of a label with these values: exactly these for absence, listed values, a
   * range and what excludes values; where texts and integers differ, more than these.
   */
  selectorOn(key: string): Array<{ key: string; operator: string; values?: string[] }> {
    if (this.#isListed) return [{ key, operator: 'In', values: [...this.#listed].sort() }]
    const excluded = [...this.#exceptions].filter((value) => !this.has(value) && this.domain.isLegal(value)).sort()
    const isRange = !this.#absent && !this.#others && this.#listed.length === 0
    const [[least, most] = [INT64_MIN, INT64_MAX], ...more] = isRange ? this.#ranges : []
    const bounds = [
      ...(least > INT64_MIN && more.length === 0 ? [{ key, operator: 'Gt', values: [String(least - 1n)] }] : []),
      ...(most < INT64_MAX && more.length === 0 ? [{ key, operator: 'Lt', values: [String(most + 1n)] }] : []),
    ]
    const isOnlyAbsent = this.#absent && !this.#others && this.#ranges.length === 0 && this.#listed.length === 0
    if (isOnlyAbsent) return [{ key, operator: 'DoesNotExist' }]
    return [
      ...(this.#absent || bounds.length > 0 ? [] : [{ key, operator: 'Exists' }]),
      ...bounds,
      ...(excluded.length === 0 ? [] : [{ key, operator: 'NotIn', values: excluded }]),
    ]
  }

  /** Whether the set contains texts and no integer, which a label selector cannot require. */
  get isWithoutIntegers(): boolean {
    return this.#others && this.#ranges.length === 0 && this.#listed.length === 0
  }

  /** The values, if the set is a list of values; else undefined. */
  get listedValues(): readonly string[] | undefined {
    return this.#isListed ? this.#listed : undefined
  }

  /** Whether the set was built to contain everything. */
  get isEverything(): boolean {
    const { mayBeAbsent } = this.domain
    return this.#absent === mayBeAbsent && this.#others && containAllInt64(this.#ranges) && this.#exceptions.size === 0
  }

  /** A text that is equal for sets built alike. */
  get text(): string {
    this.#text ??= JSON.stringify([this.#absent, this.#others, this.#ranges.join(' '), [...this.#exceptions].sort()])
    return this.#text
  }

  /** Whether the set is a list of values. */
  get #isListed(): boolean {
    return !this.#absent && !this.#others && this.#ranges.length === 0
  }

  /** The exceptions that are members of the set. */
  get #listed(): string[] {
    if (this.#isListed) return [...this.#exceptions]
    if (this.#others && containAllInt64(this.#ranges)) return []
    return [...this.#exceptions].filter((value) => this.has(value))
  }

  /** Whether the set would contain the value without its exceptions. */
  #holdsAsRule(value: string): boolean {
    if (this.#others ? containAllInt64(this.#ranges) : this.#ranges.length === 0) return this.#others
    const integer = this.domain.integerOf(value)
    return integer === undefined ? this.#others : rangesContain(this.#ranges, integer)
  }

  /** Returns the listed values that `isKept` accepts. */
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
