export const INT64_MAX = (1n << 63n) - 1n
export const INT64_MIN = -(1n << 63n)

/** Parses a decimal integer as Go's `strconv.ParseInt(text, 10, 64)` does; undefined where Go returns an error. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 1024) return undefined
  const value = text.startsWith('+') ? BigInt(text.slice(1)) : BigInt(text)
  return value > INT64_MAX || value < INT64_MIN ? undefined : value
}

/** Parses an integer in canonical spelling (no +, no leading zero), which numeric tolerations require. */
export function parseCanonicalInt64(text: string): bigint | undefined {
  return /^(0|-?[1-9][0-9]*)$/.test(text) ? parseInt64(text) : undefined
}

/** A range of 64-bit integers, both ends included. */
export type Int64Range = readonly [from: bigint, to: bigint]

/** Ascending ranges that neither overlap nor touch. */
export type Int64Ranges = readonly Int64Range[]

export const ALL_INT64: Int64Ranges = [[INT64_MIN, INT64_MAX]]

/** Returns the 64-bit integers greater than the bound. */
export function rangesAbove(bound: bigint): Int64Ranges {
  return bound < INT64_MAX ? [[bound + 1n, INT64_MAX]] : []
}

/** Returns the 64-bit integers less than the bound. */
export function rangesBelow(bound: bigint): Int64Ranges {
  return bound > INT64_MIN ? [[INT64_MIN, bound - 1n]] : []
}

/** Whether one of the ranges contains the integer. */
export function rangesContain(ranges: Int64Ranges, integer: bigint): boolean {
  return ranges.some(([from, to]) => from <= integer && integer <= to)
}

/** Whether the ranges contain every 64-bit integer. */
export function containAllInt64(ranges: Int64Ranges): boolean {
  return ranges[0]?.[0] === INT64_MIN && ranges[0][1] === INT64_MAX
}

/** Returns the integers for which `belongs` returns true, given whether `left` and `right` contain them. */
export function combineRanges(
  left: Int64Ranges,
  right: Int64Ranges,
  belongs: (inLeft: boolean, inRight: boolean) => boolean,
): Int64Ranges {
  const starts = [...new Set([INT64_MIN, ...[...left, ...right].flatMap(([from, to]) => [from, to + 1n])])]
    .filter((start) => start <= INT64_MAX)
    .sort((a, b) => (a < b ? -1 : 1))
  const combined: Array<[bigint, bigint]> = []
  for (const [index, from] of starts.entries()) {
    if (!belongs(rangesContain(left, from), rangesContain(right, from))) continue
    const to = (starts[index + 1] ?? INT64_MAX + 1n) - 1n
    const last = combined.at(-1)
    if (last !== undefined && last[1] + 1n === from) last[1] = to
    else combined.push([from, to])
  }
  return combined
}
