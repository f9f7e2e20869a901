import type { Int64Range, Int64Ranges } from './int64-ranges.ts'
import type { ValueDomain } from './value-domain.ts'

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
