import type { Finding } from '../finding/index.ts'
import { edit } from '../krm/edit.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { newItem } from '../krm/item.ts'
import {
  FIELDS,
  FIELDS_OWNER,
  isOrWasFieldsDocument,
  OWNER,
  ownerName,
  ownerOf,
  RELEASED_BY,
} from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { indexBy, type LeaveReason, type Leaving, type Planned, type Share, type World } from '../world/index.ts'
import { type Change, changeOf } from './change.ts'
import { finding } from './codes.ts'
import {
  deleteAt,
  type FieldOwners,
  fieldOwnersText,
  pathOf,
  pointerOf,
  readFieldOwners,
  setAt,
} from './field-owners.ts'
import type { Places } from './place.ts'

/** A share with the subject that asks for it. */
interface Asked extends Share {
  readonly by: Planned
  readonly owner: string
}

/** What becomes of the objects of which subjects share fields. */
export interface SharedFields {
  /** Each change under the first subject that writes, or wrote, a field of the object; undefined where none is left. */
  readonly changes: ReadonlyArray<{ readonly by?: Planned; readonly change: Change }>
  /** Objects with fields whose owner is gone from the package. */
  readonly orphans: readonly Item[]
  readonly findings: readonly Finding[]
}

/**
 * Merges the fields that subjects share into one document an object: of a user's object these fields and the list of
 * their owners change and nothing else; a partial document is rendered where the package has none. A field that its
 * owner no longer asks for is taken out or left as it is, as the owner's planner says.
 */
export function sharedFields(planned: readonly Planned[], world: World, places: Places): SharedFields {
  const asked = planned.flatMap((by) => by.shares.map((share): Asked => ({ ...share, by, owner: ownerNameOf(by) })))
  const wanted = indexBy(asked, ({ target }) => identityOf(asObject(target)))
  const present = indexBy(
    [...world.items, ...world.earlierOutput.filter(({ object }) => isOrWasFieldsDocument(object))],
    ({ object }) => identityOf(object),
  )
  const marked = [...present].flatMap(([identity, [item]]) =>
    item !== undefined && FIELDS in annotations(item.object) ? [identity] : [],
  )
  const owners = indexBy(planned, ownerNameOf)
  const merged = [...new Set([...wanted.keys(), ...marked])].sort().map((identity) => {
    const shares = wanted.get(identity) ?? []
    return merge(shares, present.get(identity)?.[0], owners, world, places)
  })
  return {
    changes: merged.flatMap(({ by, change }) => (change === undefined ? [] : [{ by, change }])),
    orphans: merged.flatMap(({ orphan }) => orphan ?? []),
    findings: merged.flatMap(({ findings }) => findings),
  }
}

interface Merged {
  readonly by?: Planned
  readonly change?: Change
  readonly orphan?: Item
  readonly findings: readonly Finding[]
}

function merge(
  shares: readonly Asked[],
  item: Item | undefined,
  owners: ReadonlyMap<string, readonly Planned[]>,
  world: World,
  places: Places,
): Merged {
  const conflict = conflictOf(shares, item)
  if (conflict !== undefined) return { findings: [conflict] }
  const [first] = shares
  if (item === undefined) return first === undefined ? { findings: [] } : create(first, shares, world, places)
  const before = readFieldOwners(item.object)
  const after = fieldsOf(shares)
  const gone: Array<{ pointer: string; leaving: Leaving }> = []
  let hasOrphan = false
  for (const [pointer, names] of before)
    for (const name of names) {
      if (after.get(pointer)?.includes(name)) continue
      const why = reasonOf(owners.get(name), world)
      if (why === undefined) after.set(pointer, [...(after.get(pointer) ?? []), name].sort())
      else
        gone.push({
          pointer,
          leaving: world.planners.leaving(ownedBy(item.object, name), why, owners.get(name)?.[0]?.subject),
        })
      hasOrphan ||= why === 'orphaned'
    }
  const removed = gone.filter(({ pointer, leaving }) => leaving === 'removed' && !after.has(pointer))
  const by = first?.by ?? [...before.values()].flat().flatMap((name) => owners.get(name) ?? [])[0]
  const orphan = hasOrphan ? item : undefined
  const about = 'fields of other subjects'
  if (
    after.size === 0 &&
    isOrWasFieldsDocument(item.object) &&
    gone.every(({ leaving }) => leaving === 'removed') &&
    gone.length > 0
  )
    return { by, orphan, change: changeOf({ kind: 'removed', before: item }), findings: [] }
  const base = world.holds(item) ? item : newItem(item.object)
  const changed = edit(base, (object) => {
    for (const { path, value } of shares) setAt(object, path, value)
    for (const { pointer } of removed) deleteAt(object, pathOf(pointer))
    return withFieldMarks(object, after)
  })
  const kind = changed === item ? 'unchanged' : after.size === 0 ? 'released' : 'changed'
  return { by, orphan, change: changeOf({ kind, about, before: item, after: changed }), findings: [] }
}

/** A partial document for fields of an object that the package does not have. */
function create(first: Asked, shares: readonly Asked[], world: World, places: Places): Merged {
  const { by, target, file } = first
  if (file === undefined) {
    const subject = by.subject.object
    const sentence = `${subject.metadata.name} writes ${first.path.join('.')} of ${describe(asObject(target))}, which is not in the package`
    return { findings: [finding('FieldTargetMissing', sentence, { subject })] }
  }
  const object = asObject(target)
  for (const { path, value } of shares) setAt(object, path, value)
  const [neighbour = by.source] = world.items.filter(
    (item) => identityOf(item.object) === identityOf(by.subject.object),
  )
  const document = withFieldMarks(object, fieldsOf(shares), true)
  return {
    by,
    change: changeOf({ kind: 'added', about: 'fields', after: places.put(document, neighbour, file) }),
    findings: [],
  }
}

/** Two values for one field, a field within another, or an object whose fields cannot be shared. */
function conflictOf(shares: readonly Asked[], item: Item | undefined): Finding | undefined {
  const [first] = shares
  if (first === undefined) return undefined
  const where = describe(asObject(first.target))
  const subject = first.by.subject.object
  const owner = item && ownerOf(item.object)
  if (owner !== undefined && owner !== FIELDS_OWNER) {
    const sentence = `${subject.metadata.name} writes ${first.path.join('.')} of ${where}, which is rendered for ${owner}`
    return finding('FieldConflict', sentence, { subject })
  }
  const seen: Asked[] = []
  for (const share of shares) {
    const other = seen.find((one) => meets(one, share))
    if (other !== undefined) {
      const fields = [...new Set([other.path.join('.'), share.path.join('.')])].join(' and ')
      const sentence = `${other.by.subject.object.metadata.name} and ${share.by.subject.object.metadata.name} write different values to ${fields} of ${where}`
      return finding('FieldConflict', sentence, {
        subject: share.by.subject.object,
        field: { path: share.path.join('.') },
      })
    }
    seen.push(share)
  }
  return undefined
}

/** Whether two shares cannot both be written: one field with two values, or one field within the other. */
function meets(one: Asked, other: Asked): boolean {
  const [short, long] = one.path.length <= other.path.length ? [one, other] : [other, one]
  if (!short.path.every((key, index) => key === long.path[index])) return false
  return short.path.length < long.path.length || JSON.stringify(one.value) !== JSON.stringify(other.value)
}

/** Why an owner's field leaves; undefined where the run is not about the owner, or keeps what it had. */
function reasonOf(owners: readonly Planned[] | undefined, world: World): LeaveReason | undefined {
  const [by] = owners ?? []
  if (by === undefined) return world.plansAllSubjects ? 'orphaned' : undefined
  if (by.isSuspended === true) return undefined
  return by.isEnabled ? 'dropped' : 'disabled'
}

function fieldsOf(shares: readonly Asked[]): Map<string, readonly string[]> {
  const byPointer = indexBy(shares, ({ path }) => pointerOf(path))
  return new Map([...byPointer].map(([pointer, all]) => [pointer, [...new Set(all.map(({ owner }) => owner))].sort()]))
}

function withFieldMarks(
  object: KubernetesObject,
  fields: FieldOwners,
  isDocument = isOrWasFieldsDocument(object),
): KubernetesObject {
  const { [FIELDS]: _, [OWNER]: owner, [RELEASED_BY]: released, ...others } = annotations(object)
  const marks = {
    ...(fields.size === 0 ? {} : { [FIELDS]: fieldOwnersText(fields) }),
    ...(!isDocument
      ? {
          ...(owner === undefined ? {} : { [OWNER]: owner }),
          ...(released === undefined ? {} : { [RELEASED_BY]: released }),
        }
      : {}),
    ...(isDocument ? { [fields.size === 0 ? RELEASED_BY : OWNER]: FIELDS_OWNER } : {}),
  }
  const all = Object.entries({ ...others, ...marks }).sort(([a], [b]) => (a < b ? -1 : 1))
  const { annotations: __, ...metadata } = object.metadata
  const kept = all.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(all) }
  return { ...object, metadata: kept as KubernetesObject['metadata'] }
}

/** The object as one of an owner's, for the planner of that owner's kind. */
function ownedBy(object: KubernetesObject, owner: string): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations(object), [OWNER]: owner } } }
}

function asObject({ apiVersion, kind, name, namespace }: Share['target']): KubernetesObject {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }
}

function ownerNameOf({ owner, subject }: Planned): string {
  return owner ?? ownerName(subject.object.kind, subject.object.metadata.name)
}

function annotations({ metadata }: KubernetesObject): Record<string, string> {
  return metadata.annotations ?? {}
}
