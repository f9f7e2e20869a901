import { fieldOwners, indexBy, type LeaveReason, memo, type Planned, type Share, type World } from '../core/index.ts'
import { edit } from '../krm/edit.ts'
import type { Finding } from '../krm/finding.ts'
import { describe, identityOf, withoutWireAnnotations } from '../krm/identity.ts'
import { newItem } from '../krm/item.ts'
import { isDeepEqual } from '../krm/map.ts'
import { FIELDS, FIELDS_OWNER, isLiveNode, isOrWasFieldsDocument, OWNER, RELEASED_BY } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { type Change, changeOf } from './change.ts'
import { CHANGE_CODES, finding } from './codes.ts'
import { isNeverApplied, type Places } from './compare.ts'
import {
  type Asked,
  deleteAt,
  type FieldOwners,
  fieldOwnersText,
  isShareable,
  type Kept,
  type Makers,
  makersOf,
  overlaps,
  pathOf,
  pointerOf,
  readFieldOwners,
  setAt,
  shareProblem,
  withoutEmptyMaps,
} from './share-conflicts.ts'

/** The changes of the objects whose fields subjects share. */
interface SharedFields {
  /** Each change with the first subject that writes, or wrote, a field of the object; undefined where none remains. */
  readonly changes: ReadonlyArray<{ readonly by?: Planned; readonly change: Change }>
  readonly findings: readonly Finding[]
}

/** What the fields are merged into. */
interface ShareInput {
  readonly planned: readonly Planned[]
  readonly world: World
  readonly places: Places
  /** Returns an item as the run has changed it so far: marked as an input, or handed back. */
  current(item: Item): Item
}

/**
 * Merges the fields that subjects share into one document for each object. On a user's object only these fields and the
 * list of their owners change; a partial document is rendered where the package lacks the object. A field that its
 * owner no longer requests is removed or left, as the owner's planner says.
 */
export function sharedFields(input: ShareInput): SharedFields {
  const { planned, world } = input
  const asked = planned.flatMap((by) => {
    const [owner = ''] = fieldOwners(by.subject.object)
    return by.shares.map(({ target, path, value, file, isEdit }): Asked => {
      return { target, path, value, file, isEdit, by, owner }
    })
  })
  const listing = world.items.filter(({ object }) => hasFields(object))
  const documents = world.earlierOutput.filter(({ object }) => isOrWasFieldsDocument(object))
  if (asked.length + listing.length + documents.length === 0) return { changes: [], findings: [] }
  // the shares of one object have one target in memory, for the most part
  const identityOfTarget = memo((target: Share['target']) => identityOf(asObject(target)))
  const wanted = indexBy(asked, ({ target }) => identityOfTarget(target))
  const present = indexBy(world.items, ({ object }) => identityOf(object))
  const apart = indexBy(documents, ({ object }) => identityOf(object))
  const owners = indexBy(
    planned.flatMap((by) => fieldOwners(by.subject.object).map((owner) => ({ owner, by }))),
    ({ owner }) => owner,
  )
  const listed = [...listing, ...documents].map(({ object }) => identityOf(object))
  const makers = makersOf(planned)
  const fieldsOfAll = newFields()
  const neighbourOf = memo((by: Planned) => neighbourIn(world, by))
  const merged = [...new Set([...wanted.keys(), ...listed])].sort().map((identity) => {
    const shares = wanted.get(identity) ?? []
    const items = present.get(identity) ?? apart.get(identity)?.slice(0, 1) ?? []
    return merge(shares, items, (owner) => owners.get(owner)?.[0]?.by, { ...input, makers, neighbourOf, fieldsOfAll })
  })
  return {
    changes: merged.flatMap(({ by, change }) => (change === undefined ? [] : [{ by, change }])),
    findings: merged.flatMap(({ findings }) => findings),
  }
}

/** Whether an object lists fields of subjects; an exported node has the annotation of what was applied to it. */
function hasFields(object: KubernetesObject): boolean {
  return !isLiveNode(object) && (FIELDS in annotations(object) || isOrWasFieldsDocument(object))
}

interface Merged {
  readonly by?: Planned
  readonly change?: Change
  readonly findings: readonly Finding[]
}

/** A field that an object lists and its owner no longer requests. */
interface Leaving {
  readonly pointer: string
  readonly owner: string
  readonly why: LeaveReason
  readonly by?: Planned
}

interface MergeInput extends ShareInput {
  readonly makers: Makers
  /** Returns what a new document says of its fields. */
  fieldsOfAll(shares: readonly Asked[]): NewFields
  /** Returns the item beside which the documents of a subject are put. */
  neighbourOf(by: Planned): Item | undefined
}

function merge(
  shares: readonly Asked[],
  items: readonly Item[],
  subjectOf: (owner: string) => Planned | undefined,
  input: MergeInput,
): Merged {
  const { world, makers } = input
  const [item] = items
  if (item === undefined) return create(shares, input)
  const [, second] = items.filter((one) => world.holds(one) && isOrWasFieldsDocument(one.object))
  if (second !== undefined) {
    const { object: subject } = second
    return { findings: [finding('DuplicateOutput', `${describe(subject)} is in the package twice`, { subject })] }
  }
  const before = readFieldOwners(item.object)
  const isAsked = (pointer: string, owner: string) =>
    shares.some(({ path, by }) => pointerOf(path) === pointer && fieldOwners(by.subject.object).includes(owner))
  const listed = [...before].flatMap(([pointer, owners]) =>
    owners.filter((owner) => !isAsked(pointer, owner)).map((owner) => ({ pointer, owner, by: subjectOf(owner) })),
  )
  const reasons = listed.map((field) => ({ ...field, why: reasonOf(field.owner, field.by, world) }))
  const leaving = reasons.flatMap(({ why, ...field }): Leaving[] => (why === undefined ? [] : [{ ...field, why }]))
  const kept = reasons.flatMap(({ why, pointer, owner }): Kept[] =>
    why === undefined ? [{ path: pathOf(pointer), owner }] : [],
  )
  const problem = shareProblem(shares, kept, items, makers)
  if (problem !== undefined) return { findings: [problem] }
  const by = shares[0]?.by ?? listed.map((one) => one.by).find((one) => one !== undefined)
  const findings = orphanedFields(item.object, leaving, world)
  const isDocument = isOrWasFieldsDocument(item.object)
  if (shares.length + leaving.length === 0 && !(isDocument && kept.length === 0 && FIELDS in annotations(item.object)))
    return keepAsItIs(item, by, findings, input)
  const fields = fieldsOf(
    shares.filter(({ isEdit }) => isEdit !== true),
    kept,
  )
  const removed = [...indexBy(leaving, ({ pointer }) => pointer)].filter(
    ([pointer, all]) =>
      ![...fields.keys()].some((other) => overlaps(pathOf(other), pathOf(pointer))) &&
      // a field stays if one of its owners would keep it
      all.every((field) => leavingOf(item.object, field, world) === 'removed'),
  )
  const start = world.holds(item) ? input.current(item) : newItem(withoutWireAnnotations(item.object))
  const changed = edit(start, (object) => {
    for (const [pointer] of removed) deleteAt(object, pathOf(pointer))
    for (const { path, value } of shares) setAt(object, path, value)
    const marked = withFieldMarks(object, fields.size === 0 ? undefined : fieldOwnersText(fields), isDocument)
    return isDocument ? (withoutEmptyMaps(marked) as KubernetesObject) : marked
  })
  // a document that is gone takes nothing back: it stays where its planner keeps a part of it
  const isDropped = leaving.every((field) => leavingOf(item.object, field, world) === 'removed')
  if (fields.size === 0 && isDocument && removed.length > 0 && isDropped && isBare(changed.object))
    return { by, findings, change: changeOf({ kind: 'removed', before: item }) }
  const isSame = isDeepEqual(withoutWireAnnotations(item.object), withoutWireAnnotations(changed.object))
  const isReleased = fields.size + removed.length === 0 && !shares.some(({ isEdit }) => isEdit === true)
  const kind = isSame ? 'unchanged' : isReleased ? 'released' : 'changed'
  const change = changeOf({
    kind,
    about: ABOUT,
    before: item,
    after: isSame ? start : changed,
    isShared: true,
    isNeverApplied: isNeverApplied(item.object, world),
  })
  return { by, findings, change }
}

const ABOUT = 'fields of several subjects'

/**
 * Returns an object of which this run writes nothing: unchanged in the package; rendered again where it was given
 * separately.
 */
function keepAsItIs(item: Item, by: Planned | undefined, findings: readonly Finding[], { world }: ShareInput): Merged {
  if (world.holds(item)) return { findings }
  const after = newItem(withoutWireAnnotations(item.object))
  return { by, findings, change: changeOf({ kind: 'unchanged', about: ABOUT, before: item, after, isShared: true }) }
}

/** Renders a partial document for fields of an object that the package does not have. */
function create(shares: readonly Asked[], { places, makers, neighbourOf, fieldsOfAll }: MergeInput): Merged {
  const [first] = shares
  if (first === undefined) return { findings: [] }
  const { by, target } = first
  const { text, mayMeet } = fieldsOfAll(shares)
  const problem = shareProblem(mayMeet ? shares : [first], [], [], makers)
  if (problem !== undefined) return { findings: [problem] }
  const file = shares.find((share) => share.file !== undefined)?.file
  if (file === undefined) {
    const subject = by.subject.object
    const sentence = `${subject.metadata.name} writes ${first.path.join('.')} of ${describe(asObject(target))}, which is not in the package`
    return { findings: [finding('FieldTargetMissing', sentence, { subject })] }
  }
  const object = asObject(target)
  for (const { path, value } of shares) setAt(object, path, value)
  const document = withFieldMarks(object, text, true)
  const after = places.put(document, neighbourOf(by), file)
  return { by, change: changeOf({ kind: 'added', about: ABOUT, after, isShared: true }), findings: [] }
}

function neighbourIn(world: World, { subject: { object }, source }: Planned): Item | undefined {
  const { apiVersion, kind, metadata } = object
  const [neighbour = source] = world
    .named({ apiVersion, kind, name: metadata.name })
    .filter((item) => identityOf(item.object) === identityOf(object))
  return neighbour
}

/** Returns why an owner's field is dropped; undefined where the run is not about the owner, or keeps its fields. */
function reasonOf(owner: string, by: Planned | undefined, world: World): LeaveReason | undefined {
  if (!world.planners.sharesFields(owner.split('/')[0] ?? '')) return undefined
  if (by === undefined) return world.plansAllSubjects ? 'orphaned' : undefined
  if (by.isSuspended === true) return undefined
  return by.isEnabled ? 'dropped' : 'disabled'
}

function leavingOf(object: KubernetesObject, { owner, why, by, pointer }: Leaving, world: World) {
  const owned = { ...object, metadata: { ...object.metadata, annotations: { ...annotations(object), [OWNER]: owner } } }
  return world.planners.leaving(owned, why, by?.subject, pathOf(pointer))
}

/** Reports fields whose owner is gone from the package, as for objects without their owner. */
function orphanedFields(object: KubernetesObject, leaving: readonly Leaving[], { planners }: World): Finding[] {
  const orphaned = leaving.filter(({ why }) => why === 'orphaned')
  const [first] = orphaned
  if (first === undefined) return []
  const owners = [...new Set(orphaned.map(({ owner }) => owner))].sort().join(', ')
  const fields = orphaned.map(({ pointer }) => pathOf(pointer).join('.')).sort()
  const sentence = `${[...new Set(fields)].join(', ')} of ${describe(object)} belong to ${owners}, which is not in the package`
  const mend = planners.orphanMend(first.owner.split('/')[0] ?? '') ?? CHANGE_CODES.OrphanedOutput.mend
  return [finding('OrphanedOutput', sentence, { subject: object, mend })]
}

/**
 * Returns the object with the list of its fields; a document of nodefit also gets its owner. Keeps the order of a
 * user's annotations.
 */
function withFieldMarks(object: KubernetesObject, list: string | undefined, isDocument: boolean): KubernetesObject {
  const { metadata } = object
  const marks: Record<string, string> = { ...metadata.annotations }
  if (list === undefined) delete marks[FIELDS]
  else marks[FIELDS] = list
  if (isDocument) {
    delete marks[list === undefined ? OWNER : RELEASED_BY]
    marks[list === undefined ? RELEASED_BY : OWNER] = FIELDS_OWNER
  }
  const { annotations: _, ...others } = metadata
  const hasMarks = Object.keys(marks).length > 0
  return { ...object, metadata: hasMarks ? { ...metadata, annotations: marks } : (others as typeof metadata) }
}

/** Whether a document holds only the identity of its object. */
function isBare({ apiVersion: _, kind: __, metadata, ...fields }: KubernetesObject): boolean {
  const { name: _name, namespace: _namespace, annotations: _annotations, ...others } = metadata
  return Object.keys(fields).length + Object.keys(others).length === 0
}

function asObject({ apiVersion, kind, name, namespace }: Share['target']): KubernetesObject {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }
}

function annotations({ metadata }: KubernetesObject): Record<string, string> {
  return metadata.annotations ?? {}
}

/** What a new document says of the fields that it is made of. */
interface NewFields {
  /** The list of fields with their owners. */
  readonly text: string
  /** Whether one field may not be shared, or two are the same or one inside the other: then values decide. */
  readonly mayMeet: boolean
}

/**
 * Returns a function that says what a new document has to say of its fields. It works once for each set of fields and
 * owners: of thousands of nodes that actions hold, most have the same.
 */
export function newFields(): (shares: readonly Asked[]) => NewFields {
  const known = new Map<string, NewFields>()
  return (shares) => {
    let key = ''
    // neither names of fields nor those of owners have a line break
    for (const { path, owner } of shares) key += `${pointerOf(path)}\n${owner}\n`
    const found = known.get(key) ?? {
      text: fieldOwnersText(fieldsOf(shares, [])),
      mayMeet: shares.some(
        ({ path }, index) => !isShareable(path) || shares.slice(0, index).some((other) => overlaps(other.path, path)),
      ),
    }
    known.set(key, found)
    return found
  }
}

/** Returns the owners of the fields that subjects ask for, and of those that others keep. */
function fieldsOf(shares: readonly Asked[], kept: readonly Kept[]): FieldOwners {
  const owners = new Map<string, string[]>()
  for (const { path, owner } of [...shares, ...kept]) {
    const pointer = pointerOf(path)
    const known = owners.get(pointer)
    if (known === undefined) owners.set(pointer, [owner])
    else if (!known.includes(owner)) owners.set(pointer, [...known, owner].sort())
  }
  return owners
}
