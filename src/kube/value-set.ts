import { isDns1123Subdomain, isLabelValue, LABEL_LENGTH } from './label.ts'
import {
  ALL_INT64,
  combineRanges,
  containAllInt64,
  INT64_MAX,
  INT64_MIN,
  type Int64Range,
  type Int64Ranges,
  parseCanonicalInt64,
  parseInt64,
  rangesContain,
} from './quantity.ts'

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

/** The domain of a value set: which values are legal, and which compare as integers. */
export interface ValueDomain {
  /** Whether the value may be absent. */
  readonly mayBeAbsent: boolean
  isLegal(text: string): boolean
  /** Returns the integer that a text compares as; undefined if it is not an integer. */
  integerOf(text: string): bigint | undefined
  /**
   * Returns how many legal texts spell a non-negative integer. A negative one has none: no legal value begins with `-`.
   */
  spellingCount(integer: bigint): number
  /** Returns one spelling of an integer; index 0 is the plain one. */
  spelling(integer: bigint, index: number): string
  /** Returns a legal text that is not an integer, different for each index. */
  example(index: number): string
}

const numbered = (word: string, index: number) => (index === 0 ? word : `${word}-${index + 1}`)

/** The values of a node label (`IsValidLabelValue`). Leading zeros change the text, not the integer. */
export const LABEL_VALUES: ValueDomain = {
  mayBeAbsent: true,
  isLegal: isLabelValue,
  integerOf: parseInt64,
  spellingCount: (integer) => LABEL_LENGTH + 1 - String(integer).length,
  spelling: (integer, index) => '0'.repeat(index) + String(integer),
  example: (index) => numbered('other', index),
}

/** The names of nodes (`ValidateNodeName`): never absent, never compared as integers. */
export const NODE_NAMES: ValueDomain = {
  mayBeAbsent: false,
  isLegal: isDns1123Subdomain,
  integerOf: () => undefined,
  spellingCount: () => 0,
  spelling: String,
  example: (index) => numbered('any-node', index),
}

/** The values of a taint (`validateNodeTaints`): no value is the empty one, and an integer has one spelling. */
export const TAINT_VALUES: ValueDomain = {
  mayBeAbsent: false,
  isLegal: isLabelValue,
  integerOf: parseCanonicalInt64,
  spellingCount: () => 1,
  spelling: String,
  example: (index) => (index === 0 ? '' : numbered('other', index - 1)),
}

/**
 * Returns a legal value outside `exceptions`: a plain text if `others` are members, else an integer of the ranges in
 * one of its spellings. Undefined if the exceptions take them all, since both they and the spellings are finite.
 */
function findWitness(
  domain: ValueDomain,
  others: boolean,
  ranges: Int64Ranges,
  exceptions: ReadonlySet<string>,
): string | undefined {
  const tries = exceptions.size + 1
  if (others)
    for (let index = 0; index < tries; index++) if (!exceptions.has(domain.example(index))) return domain.example(index)
  const natural = ranges.filter(([, to]) => to >= 0n).map(([from, to]): Int64Range => [from < 0n ? 0n : from, to])
  return (
    firstValue(natural, tries, (integer) => plainSpelling(domain, integer, exceptions)) ??
    firstValue(natural, tries, (integer) => paddedSpelling(domain, integer, exceptions))
  )
}

/**
 * Returns the first value that `give` returns for `tries` integers of each range, one more than there are exceptions.
 */
function firstValue(
  ranges: Int64Ranges,
  tries: number,
  give: (integer: bigint) => string | undefined,
): string | undefined {
  for (const [from, to] of ranges)
    for (let integer = from; integer <= to && integer < from + BigInt(tries); integer++) {
      const value = give(integer)
      if (value !== undefined) return value
    }
  return undefined
}

function plainSpelling(domain: ValueDomain, integer: bigint, exceptions: ReadonlySet<string>): string | undefined {
  if (domain.spellingCount(integer) === 0) return undefined
  const value = domain.spelling(integer, 0)
  return exceptions.has(value) ? undefined : value
}

function paddedSpelling(domain: ValueDomain, integer: bigint, exceptions: ReadonlySet<string>): string | undefined {
  for (let index = 1; index < domain.spellingCount(integer); index++) {
    const value = domain.spelling(integer, index)
    if (!exceptions.has(value)) return value
  }
  return undefined
}
