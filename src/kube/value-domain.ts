import { type Int64Range, type Int64Ranges, parseCanonicalInt64, parseInt64 } from './int64.ts'
import { isDns1123Subdomain, isLabelValue, LABEL_LENGTH } from './label.ts'

/** What the values of a set are values of: which are legal, and which of them count as an integer. */
export interface ValueDomain {
  /** Whether there may be no value at all. */
  readonly mayBeAbsent: boolean
  isLegal(text: string): boolean
  /** The integer that a text stands for where bounds are compared; undefined for any other text. */
  integerOf(text: string): bigint | undefined
  /** How many legal texts stand for an integer that is not negative. None stands for a negative one: `-` may not come first. */
  spellingCount(integer: bigint): number
  /** One of them, the plain one first. */
  spelling(integer: bigint, index: number): string
  /** A legal text that stands for no integer: another for each index, plain ones first. */
  example(index: number): string
}

const numbered = (word: string, index: number) => (index === 0 ? word : `${word}-${index + 1}`)

/** The values of a node's label (`IsValidLabelValue`). Leading zeros change the text, not the integer. */
export const LABEL_VALUES: ValueDomain = {
  mayBeAbsent: true,
  isLegal: isLabelValue,
  integerOf: parseInt64,
  spellingCount: (integer) => LABEL_LENGTH + 1 - String(integer).length,
  spelling: (integer, index) => '0'.repeat(index) + String(integer),
  example: (index) => numbered('other', index),
}

/** The names of nodes (`ValidateNodeName`): always there, and never compared as integers. */
export const NODE_NAMES: ValueDomain = {
  mayBeAbsent: false,
  isLegal: isDns1123Subdomain,
  integerOf: () => undefined,
  spellingCount: () => 0,
  spelling: String,
  example: (index) => numbered('any-node', index),
}

/** The values of a taint (`validateNodeTaints`): none is the empty one, and an integer has one spelling. */
export const TAINT_VALUES: ValueDomain = {
  mayBeAbsent: false,
  isLegal: isLabelValue,
  integerOf: parseCanonicalInt64,
  spellingCount: () => 1,
  spelling: String,
  example: (index) => (index === 0 ? '' : numbered('other', index - 1)),
}

/**
 * A legal value that is no exception: a plain text where `others` are in, else an integer of the ranges in one of its
 * spellings. Exceptions are finitely many, and so are the spellings of one integer: undefined where every one is taken.
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
    first(natural, tries, (integer) => plain(domain, integer, exceptions)) ??
    first(natural, tries, (integer) => padded(domain, integer, exceptions))
  )
}

/** What the first integer gives that gives anything, of so many in each range: among more than all exceptions one does. */
function first(ranges: Int64Ranges, tries: number, give: (integer: bigint) => string | undefined): string | undefined {
  for (const [from, to] of ranges)
    for (let integer = from; integer <= to && integer < from + BigInt(tries); integer++) {
      const value = give(integer)
      if (value !== undefined) return value
    }
  return undefined
}

function plain(domain: ValueDomain, integer: bigint, exceptions: ReadonlySet<string>): string | undefined {
  if (domain.spellingCount(integer) === 0) return undefined
  const value = domain.spelling(integer, 0)
  return exceptions.has(value) ? undefined : value
}

function padded(domain: ValueDomain, integer: bigint, exceptions: ReadonlySet<string>): string | undefined {
  for (let index = 1; index < domain.spellingCount(integer); index++) {
    const value = domain.spelling(integer, index)
    if (!exceptions.has(value)) return value
  }
  return undefined
}
