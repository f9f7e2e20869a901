import { indexBy } from '../../core/index.ts'
import { sha256 } from '../../core/object/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames } from '../../krm/finding.ts'
import { member } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isDns1123Label, isLabelValue } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { type Group, meaningAmong, nameKeyAmong, nameOfGroup } from './group.ts'

const MOST_IDS = 5
const UNLABELLED = 'unlabelled'
/** Names for the group of nodes without the label in a new policy, where a pool is called like the usual one. */
const FREE_DEFAULTS = [UNLABELLED, 'unlabelled-nodes', 'without-label']

/** The name of a group's object, and the value of its group label. */
export interface GroupName {
  readonly name: string
  readonly label: string
}

/**
 * Names every group: its explicit name, else the name it has in the earlier output, else a new one. A new group whose
 * plain name is taken gets a hash, also where the group that had the name is gone: its DaemonSet has another selector.
 * So does a group without nodes beside one that has some. Other new groups with equal plain names are a
 * `NameCollision`. `others` are the objects that other policies render from the
 * same template; their names and labels are taken.
 */
export function assignNames(
  groups: readonly Group[],
  settings: SizingSettings,
  earlier: ReadonlyMap<string, GroupName>,
  naming: Naming,
  others: readonly KubernetesObject[] = [],
): { names: Map<string, GroupName>; findings: Finding[] } {
  const explicit = explicitNames(groups, settings)
  const names = new Map<string, string>()
  for (const group of groups) {
    const fixed = explicit.get(group.id) ?? earlier.get(group.id)?.name
    if (fixed !== undefined) names.set(group.id, fixed)
  }
  const newGroups = groups.filter(({ id }) => !names.has(id))
  const known = [...earlier.values(), ...others.map(({ metadata }) => metadata)].map(({ name }) => name)
  const taken = new Set([...known, ...names.values()])
  const findings: Finding[] = []
  const isHashed = ({ hashOf }: Group) => hashOf !== undefined
  const plain = newGroups.filter((group) => !isHashed(group))
  for (const [name, rivals] of indexBy(plain, ({ namePart }) => plainName(naming, namePart))) {
    const isTaken = taken.has(name)
    // the default group or the remainder of a fleet without such nodes must not keep a label value from its name
    const inUse = rivals.filter(({ members }) => members.length > 0)
    const [owner, ...rest] = inUse.length > 0 ? inUse : rivals
    if (rest.length > 0 && !isTaken)
      findings.push(collisionFinding(name, inUse.length > 0 ? inUse : rivals, { groups, settings, naming, taken }))
    for (const rival of rivals) {
      const { id, namePart, value } = rival
      const isPlain = !isTaken && rival === owner && rest.length === 0
      const free = isPlain ? name : freeHashedName(naming, namePart, value ?? id, new Set([...taken, name]))
      names.set(id, free)
      taken.add(free)
    }
  }
  for (const { id, namePart, hashOf = id } of newGroups.filter(isHashed)) {
    const name = freeHashedName(naming, namePart, hashOf, taken)
    names.set(id, name)
    taken.add(name)
  }
  findings.push(...checkNames(groups, names, settings))
  return { names: withLabels(groups, names, naming.target, earlier, labelsOf(others, settings)), findings }
}

/**
 * The names that the policy sets, by group. A key of `names` is a label value, or a name part if no group has that
 * value.
 */
function explicitNames(groups: readonly Group[], { names }: SizingSettings): Map<string, string> {
  const meaning = meaningAmong(groups)
  const found = groups.map(
    (group) => [group.id, meaning(group, group.aliases).find((alias) => Object.hasOwn(names, alias))] as const,
  )
  return new Map(found.flatMap(([id, key]) => (key === undefined ? [] : [[id, names[key] ?? '']])))
}

/** What a proposal of names depends on. */
interface NamingContext {
  readonly groups: readonly Group[]
  readonly settings: SizingSettings
  readonly naming: Naming
  readonly taken: ReadonlySet<string>
}

/**
 * `NameCollision`, with lines for the policy that avoid it: another name of the default group, and names for the
 * others, of which the first keeps the plain one.
 */
function collisionFinding(name: string, rivals: readonly Group[], context: NamingContext): Finding {
  const { groups, settings, naming, taken } = context
  const { subject } = settings
  const keyOf = nameKeyAmong(groups)
  const hasDefault = rivals.some(({ kind }) => kind === 'default')
  const others = rivals.filter(({ kind }) => kind !== 'default')
  const chosen = new Set([...taken, name])
  const proposed = (others.length > 1 ? others : []).flatMap((group, index): Array<[string, string]> => {
    const key = keyOf(group)
    if (key === undefined) return []
    // a group without a key keeps the plain name
    const isFirst = index === 0 && others.every((other) => keyOf(other) !== undefined)
    const free = isFirst ? name : freeHashedName(naming, group.namePart, group.value ?? group.id, chosen)
    chosen.add(free)
    return [[key, free]]
  })
  const lines = [
    ...(hasDefault ? [`spec.defaultNodeGroup: ${freeDefault(groups)}`] : []),
    ...(proposed.length > 0 ? [namesText(proposed)] : []),
  ]
  const who = listNames(rivals.map(nameOfGroup), MOST_IDS)
  const sentence = `${subject.metadata.name}: ${who} would all be named ${name}${lines.length === 0 ? '' : `; set ${lines.join(' and ')}`}`
  const field = hasDefault
    ? { path: 'spec.defaultNodeGroup', currentValue: settings.defaultNodeGroup, proposedValue: freeDefault(groups) }
    : {
        path: 'spec.names',
        currentValue: settings.names,
        proposedValue: { ...settings.names, ...Object.fromEntries(proposed) },
      }
  return finding('NameCollision', sentence, { subject, field })
}

/** Formats entries of `spec.names`, as a policy can be given them. */
export function namesText(entries: ReadonlyArray<readonly [key: string, name: string]>): string {
  return `spec.names: { ${entries.map(([key, name]) => `${JSON.stringify(key)}: ${name}`).join(', ')} }`
}

/** A name for the default group that no group has. A group with such an alias has it as its name part too. */
function freeDefault(groups: readonly Group[]): string {
  const known = new Set(groups.map(({ namePart }) => namePart))
  for (let index = 1; ; index++) {
    const name = index === 1 ? UNLABELLED : `${UNLABELLED}-${index}`
    if (!known.has(name)) return name
  }
}

function checkNames(
  groups: readonly Group[],
  names: ReadonlyMap<string, string>,
  { subject }: SizingSettings,
): Finding[] {
  const owners = new Map<string, string>()
  return groups.flatMap(({ id }) => {
    const name = names.get(id) ?? ''
    const other = owners.get(name)
    owners.set(name, id)
    const place = { subject, field: { path: 'spec.names', currentValue: name } }
    if (other !== undefined)
      return [
        finding('NameInvalid', `${subject.metadata.name}: groups ${other} and ${id} are both named ${name}`, place),
      ]
    return isDns1123Label(name)
      ? []
      : [finding('NameInvalid', `${subject.metadata.name}: "${name}" is not a valid name for group ${id}`, place)]
  })
}

/** The group label values of objects of other policies. */
function labelsOf(others: readonly KubernetesObject[], { nodeGroupKey }: SizingSettings): string[] {
  const labels = others.map(({ metadata }) => member(metadata.labels ?? {}, nodeGroupKey))
  return labels.filter((label) => typeof label === 'string')
}

/**
 * Adds the group label: the raw label value if it is valid and free, else the name without the target. A label of the
 * earlier output stays, since selectors are immutable.
 */
function withLabels(
  groups: readonly Group[],
  names: ReadonlyMap<string, string>,
  target: string,
  earlier: ReadonlyMap<string, GroupName>,
  others: readonly string[],
): Map<string, GroupName> {
  const used = new Set([...[...earlier.values()].map(({ label }) => label), ...others])
  const start = `${targetPart(target)}-`
  const result = new Map<string, GroupName>()
  const valuesFirst = [...groups].sort((a, b) => Number(b.value !== undefined) - Number(a.value !== undefined))
  for (const group of valuesFirst) {
    const name = names.get(group.id) ?? ''
    const shortName = name.startsWith(start) ? name.slice(start.length) : name
    const namePart = group.hashOf === undefined ? group.namePart : undefined
    const candidates = [group.value || undefined, namePart, shortName, name].filter((text) => text !== undefined)
    const label =
      (earlier.get(group.id)?.label || candidates.find((text) => isLabelValue(text) && !used.has(text))) ?? shortName
    used.add(label)
    result.set(group.id, { name, label })
  }
  return result
}

/** The fields of a new policy that keep the names of its groups apart, and those names. */
export interface FirstNames {
  readonly fields: { readonly defaultNodeGroup?: string; readonly names?: Readonly<Record<string, string>> }
  readonly names: readonly string[]
}

/**
 * What a new policy has to name so that no two of its groups come to one name, and none to a `taken` one: another
 * `defaultNodeGroup` where a pool has that name, and `names` with a hash for every other group but the first. Empty
 * where all names differ.
 */
export function firstNames(
  groups: readonly Group[],
  naming: Naming,
  taken: ReadonlySet<string> = new Set(),
): FirstNames {
  const plain = groups.filter(({ hashOf }) => hashOf === undefined)
  const nameOf = ({ namePart }: Pick<Group, 'namePart'>) => plainName(naming, namePart)
  const others = new Set([...taken, ...plain.filter(({ kind }) => kind !== 'default').map(nameOf)])
  const isMet = plain.some((group) => group.kind === 'default' && others.has(nameOf(group)))
  const free = FREE_DEFAULTS.find((text) => !others.has(plainName(naming, sanitize(text))))
  const defaultNodeGroup = isMet ? free : undefined
  const named = plain.filter(({ kind }) => kind !== 'default' || defaultNodeGroup === undefined)
  const used = new Set([...others, ...named.map(nameOf)])
  const keyOf = nameKeyAmong(groups)
  const names: Record<string, string> = {}
  for (const [name, rivals] of indexBy(named, nameOf)) {
    // the group of a value can always be named; one without a value shares its text with that of another
    const sorted = [...rivals].sort((a, b) => Number(a.value !== undefined) - Number(b.value !== undefined))
    for (const group of taken.has(name) ? sorted : sorted.slice(1)) {
      const key = keyOf(group)
      if (key === undefined) continue
      const own = freeHashedName(naming, group.namePart, group.value ?? group.id, used)
      names[key] = own
      used.add(own)
    }
  }
  const fields = {
    ...(defaultNodeGroup === undefined ? {} : { defaultNodeGroup }),
    ...(Object.keys(names).length === 0 ? {} : { names }),
  }
  return { fields, names: [...used] }
}

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
function targetPart(target: string): string {
  if (target.length <= TARGET_LENGTH) return target
  return `${cut(target, TARGET_LENGTH - HASH_LENGTH - 1)}-${digestOf(target)}`
}

/** `<target>-<base><suffix>`, the base cut to 50 characters, or fewer so that the name has at most 63. */
export function plainName({ target, suffix, reserve = 0 }: Naming, namePart: string): string {
  const start = targetPart(target)
  return `${start}-${cut(namePart, NAME_LENGTH - start.length - 1 - suffix.length - reserve)}${suffix}`
}

/** `<target>-<base>-<hash><suffix>`: as `plainName`, with the first hex digits of SHA-256 of the group's identity. */
function hashedName(naming: Naming, namePart: string, identity: string, digits = HASH_LENGTH): string {
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
function freeHashedName(naming: Naming, namePart: string, identity: string, taken: ReadonlySet<string>): string {
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
