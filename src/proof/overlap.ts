import type { Finding } from '../finding/index.ts'
import type { Item } from '../krm/types.ts'
import { indexBy, type Planned, type Rendered, type World } from '../world/index.ts'
import { finding } from './codes.ts'
import { placeOf } from './place.ts'
import { meetings } from './place-index.ts'
import { isServed, unnamedShapes, whereOf } from './unnamed-shapes.ts'

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
        where: `nodes that may come, by ${future.other.name} and ${future.entry.name}`,
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
