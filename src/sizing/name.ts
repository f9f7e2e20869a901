import { createHash } from 'node:crypto'

/** The most a Kubernetes name may have where it also becomes a label. */
const NAME_LENGTH = 63
const BASE_LENGTH = 50
const HASH_LENGTH = 6
const HASH_STEP = 2

/** The texts before and behind the group in every name of a policy: `<target>-<group><suffix>`. */
export interface Naming {
  readonly target: string
  readonly suffix: string
  /** Characters that must stay free behind a name: korder adds an index to an Order's. */
  readonly reserve?: number
}

/** A label value as part of a name: lower case, every run of other characters one dash; `default` when nothing is left. */
export function sanitize(value: string): string {
  const text = value
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()
    .replace(/^-+|-+$/g, '')
  return text === '' ? 'default' : text
}

/** `<target>-<base><suffix>`: the base is cut to 50 characters, less where the whole would not fit 63. */
export function plainName({ target, suffix, reserve = 0 }: Naming, namePart: string): string {
  return `${target}-${cut(namePart, NAME_LENGTH - target.length - 1 - suffix.length - reserve)}${suffix}`
}

/** `<target>-<base>-<hash><suffix>`: as above, with the first hex digits of SHA-256 of what the group is. */
export function hashedName(naming: Naming, namePart: string, identity: string, digits = HASH_LENGTH): string {
  const { target, suffix, reserve = 0 } = naming
  const hash = digestOf(identity, digits)
  return `${target}-${cut(namePart, NAME_LENGTH - target.length - 2 - digits - suffix.length - reserve)}-${hash}${suffix}`
}

/** The first hex digits of SHA-256 of a text. */
export function digestOf(text: string, digits = HASH_LENGTH): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}

/** The first hashed name that is not taken; longer hashes are tried until one is free. */
export function freeHashedName(naming: Naming, namePart: string, identity: string, taken: ReadonlySet<string>): string {
  for (let digits = HASH_LENGTH; ; digits += HASH_STEP) {
    const name = hashedName(naming, namePart, identity, digits)
    if (!taken.has(name) || digits >= NAME_LENGTH) return name
  }
}

/** Names for label values that are all new: of those that come to the same name every one gets a hash. */
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
  return text.slice(0, Math.max(0, Math.min(BASE_LENGTH, room))).replace(/-+$/, '')
}
