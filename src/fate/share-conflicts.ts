import { memoOf, type Planned, type Share } from '../core/index.ts'
import { isNodeSource } from '../facts/inventory/index.ts'
import type { Finding } from '../krm/finding.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { isDeepEqual, isMap, memberOf, setMember } from '../krm/map.ts'
import { FIELDS, FIELDS_OWNER, OWNER, ownerOf, RELEASED_BY, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'

/** A share with the subject that requests it, and the owner under which it is listed. */
export interface Asked extends Share {
  readonly by: Planned
  readonly owner: string
}

/** A field that an object lists, whose owner's value this run keeps. */
export interface Kept {
  readonly path: readonly string[]
  readonly owner: string
}

/** What else a run makes of the objects whose fields are shared. */
export interface Makers {
  /** By the identity of a rendered object, whom it is rendered for. */
  readonly rendering: ReadonlyMap<string, Planned>
  /** By template or Order, who renders from it. */
  readonly using: ReadonlyMap<Item, Planned>
}

/** Returns who renders, or renders from, which objects; of several the first. */
export function makersOf(planned: readonly Planned[]): Makers {
  const rendering = new Map<string, Planned>()
  const using = new Map<Item, Planned>()
  for (const one of planned.toReversed()) {
    for (const { object } of one.objects) rendering.set(identityOf(object), one)
    if (one.source !== undefined && one.source !== one.subject) using.set(one.source, one)
  }
  return { rendering, using }
}

/** Explains why the shares of an object cannot be written; undefined where they can be. */
export function shareProblem(
  shares: readonly Asked[],
  kept: readonly Kept[],
  items: readonly Item[],
  makers: Makers,
): Finding | undefined {
  const [first] = shares
  if (first === undefined) return undefined
  const [item, another] = items
  const name = `${first.target.kind} ${first.target.namespace === undefined ? '' : `${first.target.namespace}/`}${first.target.name}`
  const refuse = ({ by, path }: Asked, problem: string) => {
    const subject = by.subject.object
    const sentence = `${subject.metadata.name} cannot write ${path.join('.')} of ${name}: ${problem}`
    return finding('FieldConflict', sentence, { subject, field: { path: path.join('.') } })
  }
  if (another !== undefined) return refuse(first, 'the package holds it twice')
  const object = problemOfObject(first.target, item, makers)
  if (object !== undefined) return refuse(first, object)
  const seen: Asked[] = []
  for (const share of shares) {
    if (!isShareable(share.path)) return refuse(share, 'it says which object it is, or holds what says so')
    const other = seen.find((one) => meets(one, share))
    if (other !== undefined)
      return refuse(share, `${other.by.subject.object.metadata.name} writes another value to ${other.path.join('.')}`)
    const mine = kept.find((one) => meets({ ...one, value: item && valueAt(item.object, one.path) }, share))
    if (mine !== undefined) return refuse(share, `${mine.owner} keeps another value in ${mine.path.join('.')}`)
    const way = item && setProblem(item.object, share.path)
    if (way !== undefined) return refuse(share, way)
    seen.push(share)
  }
  return undefined
}

/** Explains why no field of an object can be shared; undefined where fields can be. */
function problemOfObject(
  target: Share['target'],
  item: Item | undefined,
  { rendering, using }: Makers,
): string | undefined {
  const { apiVersion, kind, name, namespace } = target
  const identity = identityOf({
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  })
  const maker = rendering.get(identity)
  if (maker !== undefined) return `it is rendered for ${describe(maker.subject.object)}`
  if (item === undefined) return undefined
  const owner = ownerOf(item.object)
  if (owner !== undefined && owner !== FIELDS_OWNER) return `it is rendered for ${owner}`
  if (item.opaque !== undefined) return 'it holds YAML that nodefit does not read'
  const user = using.get(item)
  if (user !== undefined) return `${describe(user.subject.object)} renders from it`
  return isNode(item.object) ? 'it is read as a node of the inventory' : undefined
}

/** Whether an object is a v1 Node of the input, not one that was rendered, be it released since. */
function isNode(object: KubernetesObject): boolean {
  return object.kind === 'Node' && rendererOf(object) === undefined && isNodeSource(object)
}

/** Whether two fields cannot both be written: the same field with two values, or one inside the other. */
function meets(left: Pick<Share, 'path' | 'value'>, right: Pick<Share, 'path' | 'value'>): boolean {
  if (!overlaps(left.path, right.path)) return false
  return left.path.length !== right.path.length || !isDeepEqual(left.value, right.value)
}

/**
 * The fields of an object that subjects share, and the owners of each: `nodefit.dev/fields`, a JSON map of field to
 * owners.
 */

/**
 * The owners of each field by its JSON pointer (RFC 6901); the pointer has the name of an entry in a list of named
 * maps.
 */
export type FieldOwners = ReadonlyMap<string, readonly string[]>

/** Fields that identify an object, and nodefit's annotations: they cannot be shared, nor can a map that holds one. */
const RESERVED = [
  ['apiVersion'],
  ['kind'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ...[FIELDS, OWNER, RELEASED_BY].map((key) => ['metadata', 'annotations', key]),
]

/** Whether a field may be shared. */
export function isShareable(path: readonly string[]): boolean {
  return path.length > 0 && !RESERVED.some((reserved) => overlaps(path, reserved))
}

/** Whether two fields are the same, or one contains the other. */
export function overlaps(left: readonly string[], right: readonly string[]): boolean {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return false
  return true
}

/** Reads the fields that an object lists; ignores an entry that a user's edit made unreadable. */
export function readFieldOwners({ metadata }: KubernetesObject): FieldOwners {
  const text: unknown = metadata.annotations?.[FIELDS]
  const value = typeof text === 'string' ? parsed(text) : undefined
  if (!isMap(value)) return new Map()
  return new Map(
    Object.entries(value).flatMap(([pointer, owners]) => {
      const names = Array.isArray(owners) ? owners.filter((name) => typeof name === 'string') : []
      const isField = pointer.startsWith('/') && isShareable(pathOf(pointer))
      return isField && names.length > 0 ? [[pointer, names] as const] : []
    }),
  )
}

/** Formats the list for the annotation, sorted by field. */
export function fieldOwnersText(fields: FieldOwners): string {
  return JSON.stringify(Object.fromEntries([...fields.keys()].sort().map((pointer) => [pointer, fields.get(pointer)])))
}

/** Returns the JSON pointer of a path: made once for each path, of which many objects have the same in memory. */
export const pointerOf = memoOf((path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
)

export function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the value of a field; undefined where the object lacks it. */
function valueAt(object: object, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (Array.isArray(value) ? entryOf(value, key) : memberOf(value, key)),
    object,
  )
}

/**
 * Explains why a field cannot be written: a value on its path is no map, or a list has no entry of that name; undefined
 * where it can be.
 */
function setProblem(object: object, path: readonly string[]): string | undefined {
  let value: unknown = object
  for (const [index, key] of path.entries()) {
    const place = path.slice(0, index).join('.')
    if (value === undefined) return undefined
    if (Array.isArray(value)) {
      const entry = index === path.length - 1 ? undefined : entryOf(value, key)
      if (entry === undefined) return `${place} is a list without an entry named ${key} that holds the field`
      value = entry
    } else if (isMap(value)) value = memberOf(value, key)
    else return `${place} is not a map`
  }
  return undefined
}

/** Sets a field in place and creates the maps on its path. Use `setProblem` first to learn whether that is possible. */
export function setAt(object: object, path: readonly string[], value: unknown): void {
  const last = path.at(-1)
  if (last === undefined) return
  let current: unknown = object
  for (let index = 0; index < path.length - 1; index++) {
    const key = path[index] as string
    const next = Array.isArray(current) ? entryOf(current, key) : memberOf(current, key)
    if (next === undefined && isMap(current)) setMember(current, key, {})
    current = Array.isArray(current) ? next : memberOf(current, key)
  }
  if (isMap(current) && !isDeepEqual(memberOf(current, last), value)) setMember(current, last, value)
}

/** Deletes a field in place; keeps the maps on its path, since an empty map may have a meaning. */
export function deleteAt(object: object, path: readonly string[]): void {
  const last = path.at(-1)
  const parent = valueAt(object, path.slice(0, -1))
  if (last !== undefined && isMap(parent) && Object.hasOwn(parent, last)) delete parent[last]
}

/** Returns a value without empty maps, as nodefit writes its documents. */
export function withoutEmptyMaps(value: unknown): unknown {
  if (!isMap(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [key, withoutEmptyMaps(member)] as const)
  const kept = entries.filter(([, member]) => !isMap(member) || Object.keys(member).length > 0)
  return Object.fromEntries(kept)
}

function entryOf(list: readonly unknown[], name: string): unknown {
  return list.find((entry) => memberOf(entry, 'name') === name)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
