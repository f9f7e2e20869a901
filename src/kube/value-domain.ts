import { type Int64Range, type Int64Ranges, parseCanonicalInt64, parseInt64 } from './int64.ts'
import { isDns1123Subdomain, isLabelValue, LABEL_LENGTH } from './label.ts'

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
export function findWitness(
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
