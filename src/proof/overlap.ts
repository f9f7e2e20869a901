import type { Finding } from '../finding/index.ts'
import { isCounted, type Shape } from '../inventory/index.ts'
import { describe } from '../krm/identity.ts'
import { markedNode, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Labels } from '../kube/index.ts'
import { indexBy, type Planned, type Rendered, type World } from '../world/index.ts'
import { finding } from './codes.ts'
import { admits, isServed, meetings, placeOf, unnamedShapes, whereOf } from './place.ts'

/** Another subject that renders from the same source, and where both would run. */
interface Meeting {
  readonly rival: Planned
  readonly where: string
}

/**
 * Reports subjects of one source that overlap on a node, or whose remainders overlap on nodes that may come: such a
 * node would get two agents. Compares each subject with those before it, and names the first that it overlaps.
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

/** Returns, for each subject, the first thing that an earlier subject has as well. */
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

/** Returns what is rendered for node groups: those serve new nodes, while a Ticket serves only its one node. */
function groupsOf({ objects }: Planned): Rendered[] {
  return objects.filter(({ group }) => group !== undefined)
}

/**
 * Reports objects that another run rendered from the same source, in a run for one policy: they are in the package even
 * if their policy is not.
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

/** Returns the first node on which a rival may run as well; a rival that cannot be read may run on any. */
function meetingFindings(planned: Planned, rivals: readonly Item[], labels: ReadonlyMap<string, Labels>): Finding[] {
  const named = indexBy(rivals, ({ object }) => markedNode(object))
  const placed = rivals.filter(({ object }) => markedNode(object) === undefined)
  for (const node of planned.nodes) {
    const [ticket] = named.get(node) ?? []
    if (ticket !== undefined) return [overlapOf(planned, ticket.object, `node ${node}`)]
    for (const { object } of placed) {
      const isThere = admits(object, { name: node, labels: labels.get(node) ?? {} })
      if (isThere === undefined) return [unreadable(planned, object)]
      if (isThere) return [overlapOf(planned, object, `node ${node}`)]
    }
  }
  return []
}

/** Returns the first shape, among those whose nodes are only counted, on which a rival may run as well. */
function countedFindings(planned: Planned, rivals: readonly Item[], counted: readonly Shape[]): Finding[] {
  const placed = rivals.filter(({ object }) => markedNode(object) === undefined)
  for (const shape of counted) {
    if (!planned.objects.some(({ object }) => isServed(shape, object))) continue
    for (const { object } of placed) {
      const isThere = admits(object, { name: '', labels: shape.labels })
      if (isThere === undefined) return [unreadable(planned, object)]
      if (isThere) return [overlapOf(planned, object, whereOf(shape))]
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

/** Whether an object has the kind and namespace of an object that is rendered here. */
function isAlike({ kind, metadata }: KubernetesObject, { objects }: Planned): boolean {
  const own = objects.find(({ object }) => object.kind === kind)
  return own !== undefined && own.object.metadata.namespace === metadata.namespace
}

/**
 * Whether another run rendered an object from the same source: its owner is that source or a policy that sizes it.
 * Without the owner, its fields decide.
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
