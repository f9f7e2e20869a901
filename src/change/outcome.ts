import type { Finding } from '../finding/index.ts'
import { isNodeSource } from '../inventory/index.ts'
import { apiGroup } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { NODEFIT } from '../policy/index.ts'
import type { leavingOf, Planned, World } from '../world/index.ts'
import type { Change } from './change.ts'
import { compare } from './compare.ts'
import { handOver } from './hand-over.ts'
import { markInput, releaseOutput } from './marks.ts'
import { orphanFindings, orphansOf } from './orphans.ts'
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
  if (planned.length === 0 && !world.isWhole)
    return withItems({ changes: [], findings: [], replaced: markInputs(planned, world, new Map()), added: [] }, world)
  const orphans = world.isWhole ? orphansOf(planned, world) : []
  const { changes, findings } = compare(planned, orphans, world)
  const handed = handOver(planned, world)
  const marked = markInputs(planned, world, handed.replaced)
  const replaced = new Map<Item, Item | undefined>([...handed.replaced, ...marked])
  const added: Item[] = []
  for (const { kind, before, after } of changes) {
    if (before !== undefined && world.holds(before))
      replaced.set(before, kind === 'removed' && leaving(before) === 'released' ? releaseOutput(before) : after)
    else if (after !== undefined) added.push(after)
  }
  const said = {
    changes,
    findings: [
      ...orphanFindings(orphans, planned),
      ...findings,
      ...changeFindings(planned, changes),
      ...handed.findings,
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
 * Inputs leave as local configuration. Nodes are everybody's, and kept back only where something is rendered from them;
 * what another API would act upon, always.
 */
function markInputs(planned: readonly Planned[], world: World, replaced: ReadonlyMap<Item, Item>): Map<Item, Item> {
  const isMarked = ({ object }: Item) => {
    if (planned.length > 0) return true
    return apiGroup(object.apiVersion) === apiGroup(NODEFIT) ? world.isWhole : !isNodeSource(object)
  }
  const inputs = world.items.filter((item) => world.isInput(item) && isMarked(item))
  return new Map(inputs.map((item) => [item, markInput(replaced.get(item) ?? item)]))
}
