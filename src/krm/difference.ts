import { type Mapping, member } from './map.ts'

/** A field that differs; a value is undefined where that object lacks the field. */
export interface FieldChange {
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

/** Returns the fields in which two JSON values differ; a map that only one of them has is a single difference. */
export function difference(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (Object.is(before, after)) return []
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ path, before, after }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key) =>
    difference(member(before, key), member(after, key), path === '' ? key : `${path}.${key}`),
  )
}

function isContainer(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null
}
