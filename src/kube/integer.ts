export const INT64_MAX = (1n << 63n) - 1n
export const INT64_MIN = -(1n << 63n)

/** Reads a decimal integer as Go's `strconv.ParseInt(text, 10, 64)` does; undefined where Go returns an error. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 1024) return undefined
  const value = text.startsWith('+') ? BigInt(text.slice(1)) : BigInt(text)
  return value > INT64_MAX || value < INT64_MIN ? undefined : value
}

/** Reads an integer in its only canonical spelling (no +, no leading zero), as numeric tolerations require. */
export function parseCanonicalInt64(text: string): bigint | undefined {
  return /^(0|-?[1-9][0-9]*)$/.test(text) ? parseInt64(text) : undefined
}
