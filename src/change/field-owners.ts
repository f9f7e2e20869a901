/**
 * The fields of an object that subjects share, and who writes each: `nodefit.dev/fields` as a JSON map of pointer to
 * owners.
 */
import { isMap, type Mapping, member, setMember } from '../krm/map.ts'
import { FIELDS } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'

/** The owners of each field, by its JSON pointer (RFC 6901). */
export type FieldOwners = ReadonlyMap<string, readonly string[]>

/** The fields that an object lists. What a user made unreadable lists none: it is nobody's to take away. */
export function readFieldOwners({ metadata }: KubernetesObject): FieldOwners {
  const text: unknown = metadata.annotations?.[FIELDS]
  const value = typeof text === 'string' ? parsed(text) : undefined
  if (!isMap(value)) return new Map()
  return new Map(
    Object.entries(value).flatMap(([pointer, owners]) => {
      const names = Array.isArray(owners) ? owners.filter((name) => typeof name === 'string') : []
      return pointer.startsWith('/') && names.length > 0 ? [[pointer, names] as const] : []
    }),
  )
}

/** The list as an annotation's text, in the order of the fields. */
export function fieldOwnersText(fields: FieldOwners): string {
  return JSON.stringify(Object.fromEntries([...fields].sort(([a], [b]) => (a < b ? -1 : 1))))
}

export function pointerOf(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Sets a field of an object in place, with the maps that lead to it; what is no map on the way is replaced by one. */
export function setAt(object: object, path: readonly string[], value: unknown): void {
  const last = path.at(-1)
  if (last === undefined) return
  let map = object as Mapping
  for (const key of path.slice(0, -1)) {
    const next = member(map, key)
    const inner: Mapping = isMap(next) ? next : {}
    if (inner !== next) setMember(map, key, inner)
    map = inner
  }
  setMember(map, last, value)
}

/** Takes a field out of an object in place, and the maps that are empty without it. */
export function deleteAt(object: object, path: readonly string[]): void {
  const [key, ...rest] = path
  if (key === undefined || !Object.hasOwn(object, key)) return
  const map = object as Mapping
  if (rest.length === 0) {
    delete map[key]
    return
  }
  const inner = map[key]
  if (!isMap(inner)) return
  deleteAt(inner, rest)
  if (Object.keys(inner).length === 0) delete map[key]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
