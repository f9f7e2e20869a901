import type { Finding } from '../finding/index.ts'
import { isNodeSource } from '../inventory/index.ts'
import { apiGroup, identityOf } from '../krm/identity.ts'
import { ownerOf } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { NODEFIT } from '../policy/index.ts'
import type { leavingOf, Planned, World } from '../world/index.ts'
import type { Change } from './change.ts'
import { compare } from './compare.ts'
import { handOver, retirementFindings } from './hand-over.ts'
import { markInput, markTemplate, releaseOutput } from './marks.ts'
import { orphanFindings, orphansOf } from './orphans.ts'
import { retiredBefore } from './retired-before.ts'
import { changeFindings } from './said.ts'

/** What happens to the items of a package. */
export interface Outcome {
  readonly changes: readonly Change[]
  readonly findings: readonly Finding[]
  /** What stands in the place of an item; undefined where it goes. An item that is not named stays. */
  readonly replaced: ReadonlyMap<Item, Item | undefined>
  readonly added: readonly Item[]
  /** What the package holds then. */
  readonly items: readonly Item[]
}

/** Brings what was planned into the package: changes, inputs and templates kept back, orphans. */
export function outcomeOf(planned: readonly Planned[], world: World, leaving: ReturnType<typeof leavingOf>): Outcome {
  const isRetiredBefore = retiredBefore(planned, world)
  if (planned.length === 0 && !world.plansAllSubjects) {
    const { replaced, findings } = markInputs(planned, world, new Map(), isRetiredBefore)
    return withItems({ changes: [], findings, replaced, added: [] }, world)
  }
  const orphans = world.plansAllSubjects ? orphansOf(planned, world) : []
  const { changes, findings } = compare(planned, orphans, world)
  const handed = handOver(planned, world, isRetiredBefore)
  const marked = markInputs(planned, world, handed.replaced, isRetiredBefore)
  const replaced = new Map<Item, Item | undefined>([...handed.replaced, ...marked.replaced])
  const added: Item[] = []
  for (const { kind, before, after } of changes) {
    if (before !== undefined && world.holds(before))
      replaced.set(before, kind === 'removed' && leaving(before) === 'released' ? releaseOutput(before) : after)
    else if (after !== undefined) added.push(after)
  }
  const said = {
    changes,
    findings: [
      ...orphanFindings(orphans, planned, world),
      ...findings,
      ...changeFindings(planned, changes, world.fleets),
      ...handed.findings,
      ...marked.findings,
    ],
    replaced,
    added,
  }
  return withItems(said, world)
}

function withItems(outcome: Omit<Outcome, 'items'>, { items }: World): Outcome {
  const { replaced, added } = outcome
  const kept = items.flatMap((item) => (replaced.has(item) ? (replaced.get(item) ?? []) : [item]))
  return { ...outcome, items: [...kept, ...added] }
}

/**
 * Inputs leave as local configuration. Nodes are everybody's, and kept back only where something is rendered from them. What another
 * API would act upon is kept back so that it can be handed back, and by a run for one subject only where that is about it: nothing
 * else would be done in its place. What was rendered only to be read again never leaves.
 */
function markInputs(
  planned: readonly Planned[],
  world: World,
  replaced: ReadonlyMap<Item, Item>,
  isRetiredBefore: (item: Item) => boolean,
): { replaced: Map<Item, Item>; findings: Finding[] } {
  const isOurs = ({ object }: Item) => apiGroup(object.apiVersion) === apiGroup(NODEFIT)
  // what is rendered from is marked by now; a subject that was given apart may be in the package as well
  const subjects = new Set(world.subjects.map(({ object }) => identityOf(object)))
  const isMarked = (item: Item) => {
    const { object } = item
    if (isOurs(item)) return world.plansAllSubjects || planned.length > 0
    if (isNodeSource(object)) return planned.length > 0
    return world.plansAllSubjects || subjects.has(identityOf(object)) || ownerOf(object) !== undefined
  }
  const findings: Finding[] = []
  const inputs = world.items.filter((item) => world.isInput(item) && isMarked(item))
  const marked = inputs.map((item): [Item, Item] => {
    const now = replaced.get(item) ?? item
    if (isOurs(item) || isNodeSource(item.object)) return [item, markInput(now)]
    const { item: kept, retired } = markTemplate(now)
    if (retired && !isRetiredBefore(item)) findings.push(...retirementFindings(item.object, world))
    return [item, kept]
  })
  return { replaced: new Map(marked), findings }
}
