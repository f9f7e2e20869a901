/** A map of fields as JavaScript holds it. */
export type Mapping = Record<string, unknown>

/** Whether a value that a user may have written is a map of fields: neither a list nor null, which `typeof` calls objects as well. */
export function isMap(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
