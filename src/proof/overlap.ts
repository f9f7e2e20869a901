import type { Finding } from '../finding/index.ts'
import { isCounted, type Shape } from '../inventory/index.ts'
import { describe } from '../krm/identity.ts'
import { markedNode, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Labels } from '../kube/index.ts'
import { indexBy, type Planned, type Rendered, type World } from '../world/index.ts'
import { finding } from './codes.ts'
import { admits, isServed, meetings, placeOf, unnamedShapes, whereOf } from './place.ts'

/** What else is rendered from the same source, and where both would be. */
interface Meeting {
  readonly rival: Planned
  readonly where: string
}

/**
 * What is rendered from one source must not meet on a node, nor remainders on one that may come: it would get two
 * agents. Each subject is held against those before it, and names the first that it meets.
 */
export function overlapFindings(planned: readonly Planned[], world: World): Finding[] {
  const rivals = indexBy(planned, ({ source, isEnabled }) => (isEnabled ? source : undefined))
  const found = [...rivals].flatMap(([source, all]) => (all.length > 1 ? amongRivals(source, all, world) : []))
  return found.map(({ source, one, rival, where }) => {
    const subject = one.subject.object
    const { kind, metadata } = source.object
    const sentence = `${rival.subject.object.metadata.name} and ${subject.metadata.name} both size ${kind} ${metadata.name} on ${where}`
    return finding('PolicyOverlap', sentence, { subject })
  })
}

function amongRivals(
  source: Item,
  all: readonly Planned[],
  world: World,
): Array<Meeting & { source: Item; one: Planned }> {
  const onNode = firstMeetings(all, ({ nodes }) => nodes.map((node) => [node, `node ${node}`]))
  const shapes = [...unnamedShapes(world).entries()]
  const onShape = firstMeetings(all, (one) =>
    shapes
      .filter(([, shape]) => groupsOf(one).some(({ object }) => isServed(shape, object)))
      .map(([index, shape]) => [String(index), whereOf(shape)]),
  )
  const places = all.flatMap((owner) =>
    groupsOf(owner).flatMap(({ object, group }) => {
      const place = placeOf(object)
      const { name } = object.metadata
      return place === undefined
        ? []
        : [{ place, owner, name, isFuture: owner.constraints !== undefined || group?.kind === 'remainder' }]
    }),
  )
  const later = meetings(places)
  return all.flatMap((one) => {
    const future = later.get(one)
    const meeting =
      onNode.get(one) ??
      onShape.get(one) ??
      (future && {
        rival: future.other.owner,
        where: `nodes that may be added, with ${future.other.name} and ${future.entry.name}`,
      })
    return meeting === undefined ? [] : [{ source, one, ...meeting }]
  })
}

/** For each subject the first thing that one before it has, too. */
function firstMeetings(
  all: readonly Planned[],
  thingsOf: (one: Planned) => ReadonlyArray<readonly [thing: string, where: string]>,
): Map<Planned, Meeting> {
  const taken = new Map<string, Planned>()
  const found = new Map<Planned, Meeting>()
  for (const one of all)
    for (const [thing, where] of thingsOf(one)) {
      const rival = taken.get(thing) ?? one
      taken.set(thing, rival)
      if (rival !== one && !found.has(one)) found.set(one, { rival, where })
    }
  return found
}

/** What is rendered for a node group: it serves nodes that come, while a Ticket is for the one node it has. */
function groupsOf({ objects }: Planned): Rendered[] {
  return objects.filter(({ group }) => group !== undefined)
}

/**
 * A run for one policy alone must not double what another run rendered from the same source: that is in the package,
 * too, though its policy may not be.
 */
export function otherRunFindings(planned: readonly Planned[], world: World): Finding[] {
  if (world.plansAllSubjects) return []
  const claimed = new Set(planned.flatMap(({ earlier }) => earlier))
  const others = world.items.filter((item) => ownerOf(item.object) !== undefined && !claimed.has(item))
  const byOwner = indexBy(others, ({ object }) => ownerOf(object))
  const subjects = indexBy(world.items, ({ object }) => ownerName(object.kind, object.metadata.name))
  const labels = labelsOfNodes(world)
  const counted = unnamedShapes(world).filter(isCounted)
  return planned.flatMap((one) => {
    const rivals = [...byOwner].flatMap(([owner, own]) =>
      own.filter(({ object }) => isAlike(object, one) && isFromSource(object, owner, one, subjects.get(owner) ?? [])),
    )
    const found = meetingFindings(one, rivals, labels)
    return found.length > 0 ? found : countedFindings(one, rivals, counted)
  })
}

/** The first node on which one of the rivals is as well; one that cannot be read may be on any. */
function meetingFindings(one: Planned, rivals: readonly Item[], labels: ReadonlyMap<string, Labels>): Finding[] {
  const named = indexBy(rivals, ({ object }) => markedNode(object))
  const placed = rivals.filter(({ object }) => markedNode(object) === undefined)
  for (const node of one.nodes) {
    const [ticket] = named.get(node) ?? []
    if (ticket !== undefined) return [overlapOf(one, ticket.object, `node ${node}`)]
    for (const { object } of placed) {
      const isThere = admits(object, { name: node, labels: labels.get(node) ?? {} })
      if (isThere === undefined) return [unreadable(one, object)]
      if (isThere) return [overlapOf(one, object, `node ${node}`)]
    }
  }
  return []
}

/** The same for nodes that are only counted. */
function countedFindings(one: Planned, rivals: readonly Item[], counted: readonly Shape[]): Finding[] {
  const placed = rivals.filter(({ object }) => markedNode(object) === undefined)
  for (const shape of counted) {
    if (!one.objects.some(({ object }) => isServed(shape, object))) continue
    for (const { object } of placed) {
      const isThere = admits(object, { name: '', labels: shape.labels })
      if (isThere === undefined) return [unreadable(one, object)]
      if (isThere) return [overlapOf(one, object, whereOf(shape))]
    }
  }
  return []
}

function overlapOf({ subject, source = subject }: Planned, object: KubernetesObject, where: string): Finding {
  const { kind, metadata } = source.object
  const sentence = `${subject.object.metadata.name} sizes ${kind} ${metadata.name} on ${where}, and so does ${describe(object)} of ${ownerOf(object)}`
  return finding('PolicyOverlap', sentence, { subject: subject.object })
}

function unreadable({ subject }: Planned, object: KubernetesObject): Finding {
  const sentence = `${subject.object.metadata.name}: the node selector or affinity of ${describe(object)}, which ${ownerOf(object)} rendered, is malformed`
  return finding('OutputUnreadable', sentence, { subject: object })
}

/** Whether an object is such as is rendered here, in the same namespace. */
function isAlike({ kind, metadata }: KubernetesObject, { objects }: Planned): boolean {
  const own = objects.find(({ object }) => object.kind === kind)
  return own !== undefined && own.object.metadata.namespace === metadata.namespace
}

/**
 * Whether what another run rendered is made of the same source: its owner is that source or sizes it; without its owner
 * its looks tell.
 */
function isFromSource(
  object: KubernetesObject,
  owner: string,
  { source, subject, looksLikeOutput }: Planned,
  owners: readonly Item[],
): boolean {
  const { kind, metadata } = (source ?? subject).object
  if (owner.startsWith(`${kind}/`)) return owner === ownerName(kind, metadata.name)
  const targets = owners.map(({ object: own }) => targetOf(own))
  return targets.length > 0 ? targets.includes(metadata.name) : looksLikeOutput?.(object) === true
}

function targetOf({ spec }: KubernetesObject): unknown {
  return (spec as { targetRef?: { name?: unknown } | null } | null | undefined)?.targetRef?.name
}

function labelsOfNodes({ fleets }: World): Map<string, Labels> {
  return new Map(
    fleets.flatMap(({ shapes }) => shapes.flatMap(({ nodes, labels }) => nodes.map((node) => [node, labels] as const))),
  )
}
