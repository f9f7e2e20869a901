import { isMap, member } from './map.ts'

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
