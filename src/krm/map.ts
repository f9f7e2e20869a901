import { isMap, type Mapping } from '../kube/unknown-value.ts'

export { isMap, type Mapping }

/** Returns a map's own member. Inherited properties such as `constructor` are not members. */
export function member(map: Mapping, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

/** Returns the own member of a value that a user wrote; undefined if the value is not a map. */
export function memberOf(value: unknown, key: string): unknown {
  return isMap(value) ? member(value, key) : undefined
}

/** Returns the entries of a value that a user wrote; empty if the value is not a list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Sets a member. Defines `__proto__` explicitly, since assigning it would change the prototype. */
export function setMember(map: Mapping, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** Returns a map with its keys in the order of their code units, as the API server gives them back. */
export function sortedByKey<T extends object>(map: T): T {
  const sorted: Mapping = {}
  for (const key of Object.keys(map).sort()) setMember(sorted, key, (map as Mapping)[key])
  return sorted as T
}

/** Formats a scalar. Maps and lists are only named as such, since their `toString` may be anything. */
export function scalarText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'a map'
}

/** Compares JSON values deeply. An undefined member counts as absent. */
export function isDeepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((entry, index) => isDeepEqual(entry, right[index]))
  }
  if (!isMap(left) || !isMap(right)) return false
  return (
    Object.keys(left).every((key) => isDeepEqual(left[key], member(right, key))) &&
    Object.keys(right).every((key) => right[key] === undefined || Object.hasOwn(left, key))
  )
}
