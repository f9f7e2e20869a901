/** A map of fields. */
export type Mapping = Record<string, unknown>

/** Whether a value is a map of fields: neither a list nor null, which `typeof` calls objects too. */
export function isMap(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Formats a user's value for a message. Maps and lists are only named as such, since their `toString` may be anything.
 */
export function quoted(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'a map'
  return String(value)
}
