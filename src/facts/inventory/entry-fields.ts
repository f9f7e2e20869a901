import { isTime } from '../../kube/index.ts'

/** Returns a text that is not empty; undefined for any other value. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns an RFC 3339 time; undefined for any other value. */
export function validTime(value: unknown): string | undefined {
  return typeof value === 'string' && isTime(value) ? value : undefined
}

/** Returns an integer that is exact; undefined for any other value. */
export function exactInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

/** Returns the members that are set. */
export function present<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** Compares entries by namespace and name, for sorting. */
export function byName(
  left: { namespace?: string; name: string },
  right: { namespace?: string; name: string },
): number {
  const key = ({ namespace = '', name }: typeof left) => `${namespace}/${name}`
  const [a, b] = [key(left), key(right)]
  return a === b ? 0 : a < b ? -1 : 1
}
