import { isMap, type Mapping } from '../kube/unknown-value.ts'

export { isMap, type Mapping }

/** A map's own member: what every object inherits, like `constructor`, is no member. */
export function member(map: Mapping, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

/** The own member of anything a user may have written; undefined where that is no map. */
export function memberOf(value: unknown, key: string): unknown {
  return isMap(value) ? member(value, key) : undefined
}

/** The entries of anything a user may have written; none where that is no list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Sets a member. An assignment to `__proto__` would change what the map inherits instead. */
export function setMember(map: Mapping, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** A scalar as text; of a map or list only that it is one, since its own `toString` may be anything. */
export function scalarText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'a map'
}

/** Deep equality of JSON values; a member that is undefined is a member that is absent. */
export function isDeepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((entry, index) => isDeepEqual(entry, right[index]))
  }
  if (!isMap(left) || !isMap(right)) return false
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => isDeepEqual(member(left, key), member(right, key)))
}
