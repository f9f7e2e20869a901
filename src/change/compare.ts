import type { Finding } from '../finding/index.ts'
import { withoutWire } from '../krm/annotation.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { isDeepEqual } from '../krm/map.ts'
import { ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isTicket } from '../policy/index.ts'
import { indexBy, type Planned, type Rendered, type World } from '../world/index.ts'
import { type Change, changeOf } from './change.ts'
import { finding } from './codes.ts'
import { isNeverApplied, toldByTickets } from './never-applied.ts'
import { Places, updateInPlace } from './place.ts'

/**
 * Holds what was planned against what was rendered before, object by object: own objects are updated in place, those no longer
 * rendered go, foreign ones with a name that is needed are an error.
 */
export function compare(
  planned: readonly Planned[],
  orphans: readonly Item[],
  world: World,
): { changes: Change[]; findings: Finding[] } {
  const gone = new Set(orphans)
  const present = indexBy(
    world.items.filter((item) => !gone.has(item)),
    ({ object }) => identityOf(object),
  )
  const wanted = indexBy(
    planned.flatMap((by) => by.objects.map(({ object }) => ({ object, by }))),
    ({ object }) => identityOf(object),
  )
  const places = new Places(world.items)
  const neighbours = indexBy(world.items, ({ object }) => identityOf(object))
  const compared = planned.map((by) => {
    const own = earlierByIdentity(by, world)
    const [here] = neighbours.get(identityOf(by.subject.object)) ?? []
    const neighbour = here ?? by.source
    const objects = [...by.objects].sort((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1))
    const inTheWay = objects.flatMap(({ object }) => {
      const identity = identityOf(object)
      const foreign = (present.get(identity) ?? []).find((item) => !own.isOwn(item))
      const [rival] = wanted.get(identity) ?? []
      if (foreign !== undefined) return [foreignFinding(foreign.object, by)]
      return rival === undefined || rival.object === object ? [] : [foreignFinding(rival.object, by)]
    })
    const changes = objects.map((rendered) =>
      changeTo(rendered, own.before.get(identityOf(rendered.object)), by, world, () =>
        places.put(rendered.object, neighbour, rendered.file),
      ),
    )
    const made = new Set(objects.map(({ object }) => identityOf(object)))
    const removed = [...own.before].filter(([identity]) => !made.has(identity))
    return {
      changes: toldByTickets([...changes, ...removed.map(([, before]) => removal(before, world, by))], world),
      findings: [...own.findings, ...inTheWay],
    }
  })
  return {
    changes: [...compared.flatMap(({ changes }) => changes), ...orphans.map((before) => removal(before, world))],
    findings: compared.flatMap(({ findings }) => findings),
  }
}

/** What stands in the package keeps its place; what was rendered elsewhere is held against, and has its place anew. */
function changeTo(
  { object, about }: Rendered,
  before: Item | undefined,
  by: Planned,
  world: World,
  put: () => Item,
): Change {
  const never = isNeverApplied(object, world)
  if (before === undefined) return changeOf({ kind: 'added', by, about, after: put(), isNeverApplied: never })
  const after = world.holds(before) ? updateInPlace(before, object) : put()
  const isUnchanged = after === before || isDeepEqual(withoutWire(before.object), withoutWire(after.object))
  return changeOf({ kind: isUnchanged ? 'unchanged' : 'changed', by, about, before, after, isNeverApplied: never })
}

function removal(before: Item, world: World, by?: Planned): Change {
  return changeOf({ kind: 'removed', by, before, isNeverApplied: isNeverApplied(before.object, world) })
}

/** The earlier output of a subject by what makes objects the same; a copy beside another is an error. */
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
  const own = new Set(earlier)
  return { before, findings, isOwn: (item: Item) => own.has(item) }
}

const TICKET_MEND =
  'A Ticket has its name from what it reserves: remove that one from the package, and the rendered one takes its place in the cluster; or, if both must stay, rename it in its own file.'

function foreignFinding(foreign: KubernetesObject, { subject }: Planned): Finding {
  const owner = ownerOf(foreign)
  const who = owner === undefined ? 'is not rendered by nodefit' : `is owned by ${owner}`
  const sentence = `${subject.object.metadata.name} needs the name of ${describe(foreign)}, which ${who}`
  return finding('ForeignObject', sentence, { subject: foreign, mend: isTicket(foreign) ? TICKET_MEND : undefined })
}
