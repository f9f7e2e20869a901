import { type Mapping, member } from '../krm/map.ts'

/** A field that differs: undefined where one of the two has nothing there. */
export interface FieldChange {
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

/** The fields in which two JSON values differ, outermost first where one of them has nothing there. */
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
