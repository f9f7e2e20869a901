import { indexBy, type LeaveReason, type Planned, type Rendered, type World } from '../core/index.ts'
import { isNodeSource } from '../facts/inventory/index.ts'
import { isWorkloadSnapshot } from '../kinds/index.ts'
import { edit } from '../krm/edit.ts'
import type { Finding } from '../krm/finding.ts'
import {
  describe,
  INDEX,
  identityOf,
  indexOf,
  isLocalConfig,
  isWireAnnotation,
  PACKAGE_PATH,
  PATH,
  packageOf,
  pathOf,
  withoutWireAnnotations,
} from '../krm/identity.ts'
import { newItem } from '../krm/item.ts'
import { isDeepEqual } from '../krm/map.ts'
import { ownerOf, releaserOf, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { type Change, type ChangeKind, changeOf, type PlannedChanges } from './change.ts'
import { finding } from './codes.ts'
import { releaseOutput } from './hand-over.ts'

/** The changes of all objects of a package. */
interface Compared {
  readonly planned: readonly PlannedChanges[]
  /** Changes of objects that no subject of the package claims. */
  readonly orphaned: readonly Change[]
  /** Objects that were released earlier and are in output given separately: they are rendered again as they are. */
  readonly kept: readonly Item[]
  readonly findings: readonly Finding[]
}

/**
 * Compares what was planned with what was rendered before, object by object. Updates owned objects in place, removes or
 * releases those that are no longer rendered, as their planner says, and reports objects of others that have a needed
 * name.
 */
export function compare(planned: readonly Planned[], orphans: readonly Item[], world: World, places: Places): Compared {
  const gone = new Set(orphans)
  const present = indexBy(
    world.items.filter((item) => !gone.has(item)),
    ({ object }) => identityOf(object),
  )
  // objects that another subject released into output that was given separately
  const releasedApart = indexBy(
    world.earlierOutput.filter(({ object }) => releaserOf(object) !== undefined),
    ({ object }) => identityOf(object),
  )
  const wanted = indexBy(
    planned.flatMap((by) => by.objects.map(({ object }) => ({ object, by }))),
    ({ object }) => identityOf(object),
  )
  const neighbours = indexBy(world.items, ({ object }) => identityOf(object))
  const compared = planned.map((by) => {
    const earlier = earlierByIdentity(by, world)
    const [here] = neighbours.get(identityOf(by.subject.object)) ?? []
    const neighbour = here ?? by.source
    const objects = [...by.objects].sort((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1))
    const inTheWay = objects.flatMap(({ object }) => {
      const identity = identityOf(object)
      const foreign = [...(present.get(identity) ?? releasedApart.get(identity) ?? [])].find(
        (item) => !earlier.isOwn(item),
      )
      const [rival] = wanted.get(identity) ?? []
      if (foreign !== undefined) return [foreignFinding(foreign.object, by, world)]
      return rival === undefined || rival.object === object ? [] : [foreignFinding(rival.object, by, world)]
    })
    const rendered = objects.map((one) =>
      changeTo(one, earlier.before.get(identityOf(one.object)), world, () =>
        places.put(one.object, neighbour, one.file),
      ),
    )
    const made = new Set(objects.map(({ object }) => identityOf(object)))
    const left = [...earlier.before].flatMap(([identity, item]) => (made.has(identity) ? [] : [item]))
    const why = by.isEnabled ? 'dropped' : 'disabled'
    const leaving = left.filter(isOurs).map((before) => departure(before, why, world, by.subject))
    const changes = withKindOfParts([...rendered, ...leaving], by, world)
    return {
      planned: { ...by, changes, stops: [], pods: [], unknownKeys: [] },
      kept: left.filter((item) => !isOurs(item) && !world.holds(item)),
      findings: [...earlier.findings, ...inTheWay],
    }
  })
  return {
    planned: compared.map((one) => one.planned),
    orphaned: orphans.map((before) => departure(before, 'orphaned', world)),
    kept: compared.flatMap(({ kept }) => kept),
    findings: compared.flatMap(({ findings }) => findings),
  }
}

/**
 * Compares a rendered object with its earlier one. An object in the package keeps its place; one given separately gets
 * a new place.
 */
function changeTo({ object, about }: Rendered, before: Item | undefined, world: World, put: () => Item): Change {
  const never = isNeverApplied(object, world)
  if (before === undefined) return changeOf({ kind: 'added', about, after: put(), isNeverApplied: never })
  const after = world.holds(before) ? updateInPlace(before, object) : put()
  const isUnchanged =
    after === before || isDeepEqual(withoutWireAnnotations(before.object), withoutWireAnnotations(after.object))
  return changeOf({ kind: isUnchanged ? 'unchanged' : 'changed', about, before, after, isNeverApplied: never })
}

/** Returns the change of an object that is no longer rendered. */
function departure(before: Item, why: LeaveReason, world: World, subject?: Item): Change {
  const isNever = isNeverApplied(before.object, world)
  if (world.planners.leaving(before.object, why, subject) === 'removed')
    return changeOf({ kind: 'removed', before, isNeverApplied: isNever })
  // an object given separately is rendered once more, so that no host prunes it
  const item = world.holds(before) ? before : newItem(withoutWireAnnotations(before.object))
  return changeOf({ kind: 'released', before, after: releaseOutput(item), isNeverApplied: isNever })
}

/** Returns the earlier output of a subject by identity, and an error for each object that is there twice. */
function earlierByIdentity({ earlier }: Planned, world: World) {
  const before = new Map<string, Item>()
  const findings: Finding[] = []
  for (const item of new Set(earlier)) {
    const identity = identityOf(item.object)
    if (before.has(identity) && world.holds(item))
      findings.push(
        finding('DuplicateOutput', `${describe(item.object)} is in the package twice`, { subject: item.object }),
      )
    before.set(identity, item)
  }
  const all = new Set(earlier)
  return { before, findings, isOwn: (item: Item) => all.has(item) }
}

/** Whether nodefit still owns an earlier object; a released one may be adopted again, but is never removed. */
function isOurs({ object }: Item): boolean {
  return releaserOf(object) === undefined
}

function foreignFinding(foreign: KubernetesObject, { subject }: Planned, { planners }: World): Finding {
  const owner = ownerOf(foreign)
  const released = releaserOf(foreign)
  const unowned = released === undefined ? 'is not rendered by nodefit' : `was released by ${released}`
  const who = owner === undefined ? unowned : `is owned by ${owner}`
  const sentence = `${subject.object.metadata.name} would render ${describe(foreign)}, which exists and ${who}`
  return finding('ForeignObject', sentence, { subject: foreign, mend: planners.foreignMend(foreign, subject) })
}

/**
 * Objects that are rendered and never applied, such as Orders in DaemonSet mode: an output holds only the objects that
 * were rendered for them.
 */

/**
 * Whether no output holds the object, so that no later run finds it: local configuration that no host keeps in a file.
 */
export function isNeverApplied({ metadata }: KubernetesObject, { keepsFiles }: Pick<World, 'keepsFiles'>): boolean {
  return !keepsFiles && isLocalConfig(metadata.annotations)
}

/**
 * Returns the changes of a subject; the change of an object that is never applied and was not found follows those of
 * its parts.
 */
function withKindOfParts(
  changes: readonly Change[],
  { partOf }: Pick<Planned, 'partOf'>,
  { isSeen }: Pick<World, 'isSeen'>,
): readonly Change[] {
  const isHidden = ({ before, isNeverApplied: never }: Change) => never === true && before === undefined
  if (partOf === undefined || !changes.some(isHidden)) return changes
  const parts = indexBy(changes, ({ after, before }) => {
    const object = (after ?? before)?.object
    return object && partOf(object)
  })
  return changes.map((change) => {
    if (!isHidden(change)) return change
    const { about, after } = change
    const kind = kindBy(parts.get(after?.object.metadata.name ?? '') ?? [], isSeen)
    return changeOf({ kind, about, after, isNeverApplied: true })
  })
}

/**
 * Returns the kind of a change by its parts: added where all parts are. Without parts, now or before, nothing is added
 * if earlier output would show it.
 */
function kindBy(parts: readonly Change[], isSeen: boolean): ChangeKind {
  if (parts.length === 0) return isSeen ? 'unchanged' : 'added'
  if (parts.every(({ kind }) => kind === 'added')) return 'added'
  return parts.every(({ kind }) => kind === 'unchanged') ? 'unchanged' : 'changed'
}

/** Puts an object in the place of its earlier one: same file and document, with the host's annotations and comments. */
function updateInPlace(item: Item, object: KubernetesObject): Item {
  const present = item.object.metadata.annotations ?? {}
  if (isSame(item.object, object)) return item
  const wire = Object.fromEntries(Object.entries(present).filter(([key]) => isWireAnnotation(key)))
  return edit(item, () => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...wire, ...object.metadata.annotations } },
  }))
}

/** Whether an object of the package is equal to one without the host's annotations. */
function isSame(present: KubernetesObject, object: KubernetesObject): boolean {
  const here = present.metadata.annotations ?? {}
  const { annotations = {} } = object.metadata
  const isEqual = (key: string) =>
    isDeepEqual(here[key], Object.hasOwn(annotations, key) ? annotations[key] : undefined)
  return (
    Object.keys(here).every((key) => isWireAnnotation(key) || isEqual(key)) &&
    Object.keys(annotations).every((key) => Object.hasOwn(here, key)) &&
    isDeepEqual({ ...present.metadata, annotations: undefined }, { ...object.metadata, annotations: undefined }) &&
    isDeepEqual({ ...present, metadata: undefined }, { ...object, metadata: undefined })
  )
}

/** Gives new objects a file and an index in it, on hosts that have files. */
export class Places {
  readonly #next = new Map<string, number>()
  /** The files that something else writes whole, with what nodes or pods are there: nothing rendered may be in them. */
  readonly #exported = new Set<string>()

  constructor(items: readonly Item[]) {
    for (const item of items) {
      const path = pathOf(item) ?? ''
      this.#reserve(packageOf(item), path, (indexOf(item) ?? 0) + 1)
      if (isExported(item)) this.#exported.add(`${packageOf(item)}|${path}`)
    }
  }

  /**
   * Returns a new object in a file beside `neighbour`; without a path where the host has no files. The file has the
   * name given, or `rendered-` before it where an inventory has that name.
   */
  put(object: KubernetesObject, neighbour: Item | undefined, name: string): Item {
    const path: unknown = neighbour === undefined ? undefined : pathOf(neighbour)
    if (neighbour === undefined || typeof path !== 'string') return newItem(object)
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
    const packagePath = packageOf(neighbour)
    const isTaken = this.#exported.has(`${packagePath}|${folder}${name}`)
    const file = `${folder}${isTaken ? 'rendered-' : ''}${name}`
    const index = this.#next.get(`${packagePath}|${file}`) ?? 0
    this.#reserve(packagePath, file, index + 1)
    const place = {
      [PATH]: file,
      [INDEX]: String(index),
      ...(packagePath === '' ? {} : { [PACKAGE_PATH]: packagePath }),
    }
    return newItem({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...place } },
    })
  }

  #reserve(packagePath: string, path: string, next: number): void {
    const key = `${packagePath}|${path}`
    this.#next.set(key, Math.max(this.#next.get(key) ?? 0, next))
  }
}

function isExported({ object }: Item): boolean {
  return rendererOf(object) === undefined && (isNodeSource(object) || isWorkloadSnapshot(object))
}
