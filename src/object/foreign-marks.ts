import { isKey } from './marks.ts'
import { OWNER_KINDS } from './owners.ts'

const PATTERNS = OWNER_KINDS.flatMap(({ keys = [] }) => keys)
const EXACT = new Set(PATTERNS.filter((pattern) => !pattern.endsWith('*')))
const OPEN = PATTERNS.filter((pattern) => pattern.endsWith('*'))

/**
 * Labels or annotations without those by which another controller would take a copy for its own, and apply, prune or adopt it.
 * They are the marks of an object's own metadata: none of these controllers goes by those of a pod that has an owner.
 */
export function withoutForeignMarks(map: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isForeignMark(key)))
}

function isForeignMark(key: string): boolean {
  return EXACT.has(key) || OPEN.some((pattern) => isKey(key, pattern))
}
