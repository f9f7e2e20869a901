/** A map of fields as JavaScript holds it. */
export type Mapping = Record<string, unknown>

/** Whether a value that a user may have written is a map of fields: neither a list nor null, which `typeof` calls objects as well. */
export function isMap(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value that a user wrote, for a sentence; of a map or list only that it is one, since its own texts may be anything. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'a map'
  return String(value)
}
