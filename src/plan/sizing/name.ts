import { sha256 } from '../../core/object/index.ts'

/** The maximum length of a name that is also a label value. */
const NAME_LENGTH = 63
const BASE_LENGTH = 50
const HASH_LENGTH = 6
const HASH_STEP = 2
/** A longer target is shortened, so that at least 22 characters tell its groups apart. */
const TARGET_LENGTH = 40

/** What names of a policy have in common: `<target>-<group><suffix>`. */
export interface Naming {
  readonly target: string
  readonly suffix: string
  /** Characters to keep free at the end: korder adds an index to the name of an Order. */
  readonly reserve?: number
}

/**
 * A label value as part of a name: lower case, runs of other characters replaced by a dash; `default` when nothing is
 * left.
 */
export function sanitize(value: string): string {
  const text = value
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()
    .replace(/^-+|-+$/g, '')
  return text === '' ? 'default' : text
}

/**
 * The target as names of groups begin: a long one is cut to 33 characters, followed by the first hex digits of its
 * SHA-256, so that two long targets differ.
 */
export function targetPart(target: string): string {
  if (target.length <= TARGET_LENGTH) return target
  return `${cut(target, TARGET_LENGTH - HASH_LENGTH - 1)}-${digestOf(target)}`
}

/** `<target>-<base><suffix>`, the base cut to 50 characters, or fewer so that the name has at most 63. */
export function plainName({ target, suffix, reserve = 0 }: Naming, namePart: string): string {
  const start = targetPart(target)
  return `${start}-${cut(namePart, NAME_LENGTH - start.length - 1 - suffix.length - reserve)}${suffix}`
}

/** `<target>-<base>-<hash><suffix>`: as `plainName`, with the first hex digits of SHA-256 of the group's identity. */
export function hashedName(naming: Naming, namePart: string, identity: string, digits = HASH_LENGTH): string {
  const { target, suffix, reserve = 0 } = naming
  const start = targetPart(target)
  const hash = digestOf(identity, digits)
  return `${start}-${cut(namePart, NAME_LENGTH - start.length - 2 - digits - suffix.length - reserve)}-${hash}${suffix}`
}

/** The first hex digits of SHA-256 of a text. */
export function digestOf(text: string, digits = HASH_LENGTH): string {
  return sha256(text).slice(0, digits)
}

/** A hashed name that is not taken, with as many digits as that needs. */
export function freeHashedName(naming: Naming, namePart: string, identity: string, taken: ReadonlySet<string>): string {
  for (let digits = HASH_LENGTH; ; digits += HASH_STEP) {
    const name = hashedName(naming, namePart, identity, digits)
    if (!taken.has(name) || digits >= NAME_LENGTH) return name
  }
}

/** Names for label values that are all new: values with equal plain names all get a hash. */
export function namesOf(naming: Naming, values: readonly string[]): Map<string, string> {
  const plain = new Map(values.map((value) => [value, plainName(naming, sanitize(value))]))
  const counts = new Map<string, number>()
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = new Map([...plain].filter(([, name]) => counts.get(name) === 1))
  for (const value of values) {
    if (!names.has(value)) names.set(value, freeHashedName(naming, sanitize(value), value, new Set(names.values())))
  }
  return names
}

function cut(text: string, room: number): string {
  return text.slice(0, Math.max(0, Math.min(BASE_LENGTH, room))).replace(/[-.]+$/, '')
}
