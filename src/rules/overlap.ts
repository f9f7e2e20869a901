import { indexBy, once, type Planned, type Rendered, type World } from '../core/index.ts'
import { type Fleet, isCounted, type Shape } from '../facts/inventory/index.ts'
import { codesAbout, type Finding, findingOf, listNames } from '../krm/finding.ts'
import { describe } from '../krm/identity.ts'
import { markedNode, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Labels } from '../kube/index.ts'
import { admits, isServed, meetings, placeOf, unnamedShapes, whereOf } from './place.ts'
import type { Examples, PlanReview, Rule } from './rule.ts'

const CODES = codesAbout('Coverage and doubles', {
  PolicyOverlap: {
    severity: 'error',
    meaning:
      'Two policies size one target on the same node, or their remainders would on a node added later: two agents.',
    mend: 'Make their nodeSelector or affinity exclude each other.',
  },
  OutputUnreadable: {
    severity: 'error',
    allowable: true,
    meaning:
      'A rendered object’s node selector or affinity was edited and is malformed: it may run on nodes of the present policy.',
    mend: 'Undo the edit, or remove the object and render its policy again.',
  },
})
const finding = findingOf(CODES)

export const overlap = {
  codes: CODES,
  check: ({ planned, world, fleets }) => [
    ...overlapFindings(planned, fleets),
    ...otherRunFindings(planned, world, fleets),
  ],
} satisfies Rule<PlanReview>

export const EXAMPLES: Examples<typeof CODES> = {
  PolicyOverlap: `
apiVersion: nodefit.dev/v1alpha1
kind: SizingPolicy
metadata: { name: second }
spec:
  targetRef: { name: agent }
  names: { m5.large: x, remainder: 'y' }
  resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 }
  minResources: { cpu: 100m, memory: 180Mi }
  maxResources: { cpu: 2000m, memory: 4Gi }
`,
  OutputUnreadable: { why: 'it takes a run for one policy of two' },
}

/** Another subject that renders from the same source, and where both would run, with an example. */
interface Meeting {
  readonly rival: Planned
  /** In words; of a shape with its labels. */
  readonly where: string
  readonly node: ExampleNode
  readonly isShape?: boolean
}

/** A node of today, or one that may come, which has no name. */
interface ExampleNode {
  readonly name?: string
  readonly labels: Labels
}

/**
 * Reports subjects of one source that overlap on a node, or whose remainders overlap on nodes that may come: such a
 * node would get two agents. Compares each subject with those before it, and names the first that it overlaps.
 */
export function overlapFindings(planned: readonly Planned[], fleets: readonly Fleet[]): Finding[] {
  const rivals = indexBy(planned, ({ source, isEnabled }) => (isEnabled ? source : undefined))
  const found = [...rivals].flatMap(([source, all]) => (all.length > 1 ? amongRivals(source, all, fleets) : []))
  return found.map(({ source, one, ...meeting }) => {
    const { rival, node } = meeting
    const subject = one.subject.object
    const { kind, metadata } = source.object
    const where = placeText(meeting, [...groupsOf(one), ...groupsOf(rival)])
    const sentence = `${rival.subject.object.metadata.name} and ${subject.metadata.name} both size ${kind} ${metadata.name} on ${where}`
    return finding('PolicyOverlap', sentence, { subject, field: { path: 'spec', currentValue: node } })
  })
}

/** How many labels of a node a message lists. */
const MOST_LABELS = 5

/** Formats a place with the labels of its node by which the objects run there; with all labels if none decides. */
function placeText(
  { where, node: { labels }, isShape }: Omit<Meeting, 'rival'>,
  objects: readonly Pick<Rendered, 'object'>[],
): string {
  if (isShape === true) return where
  const regions = objects.flatMap(({ object }) => placeOf(object)?.alternatives ?? [])
  const keys = new Set(regions.flatMap((one) => one.keys))
  const all = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  const deciding = all.filter(([key]) => keys.has(key))
  const pairs = (deciding.length > 0 ? deciding : all).map(([key, value]) => `${key}=${value}`)
  return `${where} (${pairs.length === 0 ? 'a node without labels' : listNames(pairs, MOST_LABELS)})`
}

function amongRivals(
  source: Item,
  all: readonly Planned[],
  fleets: readonly Fleet[],
): Array<Meeting & { source: Item; one: Planned }> {
  const labels = once(() => labelsOfNodes(fleets))
  const onNode = firstMeetings(all, ({ nodes }) =>
    nodes.map((name) => ({
      thing: name,
      meeting: () => ({ where: `node ${name}`, node: { name, labels: labels().get(name) ?? {} } }),
    })),
  )
  const shapes = [...unnamedShapes(fleets).entries()]
  const onShape = firstMeetings(all, (one) =>
    shapes
      .filter(([, shape]) => groupsOf(one).some(({ object }) => isServed(shape, object)))
      .map(([index, shape]) => ({
        thing: String(index),
        meeting: () => meetingOn(shape),
      })),
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
        node: { labels: future.entry.place.sharedNode(future.other.place)?.labels ?? {} },
      })
    return meeting === undefined ? [] : [{ source, one, ...meeting }]
  })
}

/** Returns, for each subject, the first thing that an earlier subject has as well. */
function firstMeetings(
  all: readonly Planned[],
  thingsOf: (one: Planned) => ReadonlyArray<{ readonly thing: string; readonly meeting: () => Omit<Meeting, 'rival'> }>,
): Map<Planned, Meeting> {
  const taken = new Map<string, Planned>()
  const found = new Map<Planned, Meeting>()
  for (const one of all)
    for (const { thing, meeting } of thingsOf(one)) {
      const rival = taken.get(thing) ?? one
      taken.set(thing, rival)
      if (rival !== one && !found.has(one)) found.set(one, { rival, ...meeting() })
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
export function otherRunFindings(planned: readonly Planned[], world: World, fleets: readonly Fleet[]): Finding[] {
  if (world.plansAllSubjects) return []
  const claimed = new Set(planned.flatMap(({ earlier }) => earlier))
  const others = world.items.filter((item) => ownerOf(item.object) !== undefined && !claimed.has(item))
  const byOwner = indexBy(others, ({ object }) => ownerOf(object))
  const subjects = indexBy(world.items, ({ object }) => ownerName(object.kind, object.metadata.name))
  const labels = labelsOfNodes(fleets)
  const counted = unnamedShapes(fleets).filter(isCounted)
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
    const known = { name: node, labels: labels.get(node) ?? {} }
    const meeting = { where: `node ${node}`, node: known }
    if (ticket !== undefined) return [overlapOf(planned, ticket.object, meeting)]
    for (const { object } of placed) {
      const isThere = admits(object, known)
      if (isThere === undefined) return [unreadable(planned, object)]
      if (isThere) return [overlapOf(planned, object, meeting)]
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
      if (isThere) return [overlapOf(planned, object, meetingOn(shape))]
    }
  }
  return []
}

function meetingOn(shape: Shape): Omit<Meeting, 'rival'> {
  return { where: whereOf(shape), node: { labels: shape.labels }, isShape: true }
}

function overlapOf(planned: Planned, object: KubernetesObject, meeting: Omit<Meeting, 'rival'>): Finding {
  const { subject, source = subject } = planned
  const { kind, metadata } = source.object
  const where = placeText(meeting, [...groupsOf(planned), { object }])
  const sentence = `${subject.object.metadata.name} sizes ${kind} ${metadata.name} on ${where}, and so does ${describe(object)} of ${ownerOf(object)}`
  return finding('PolicyOverlap', sentence, {
    subject: subject.object,
    field: { path: 'spec', currentValue: meeting.node },
  })
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

function labelsOfNodes(fleets: readonly Fleet[]): Map<string, Labels> {
  return new Map(
    fleets.flatMap(({ shapes }) => shapes.flatMap(({ nodes, labels }) => nodes.map((node) => [node, labels] as const))),
  )
}
