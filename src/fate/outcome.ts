import { indexBy, type Planned, type World } from '../core/index.ts'
import { type Fleet, isNodeSource } from '../facts/inventory/index.ts'
import { NODEFIT } from '../kinds/index.ts'
import { type Finding, listNames } from '../krm/finding.ts'
import { apiGroup, describe, identityOf, withoutWireAnnotations } from '../krm/identity.ts'
import { newItem } from '../krm/item.ts'
import { isFieldsDocument, ownerName, ownerOf, releaserOf } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { agentStops } from './agent-stops.ts'
import type { Change, PlannedChanges } from './change.ts'
import { changeFindings } from './change-findings.ts'
import { CHANGE_CODES, finding } from './codes.ts'
import { compare, Places } from './compare.ts'
import { handOver, markInput, markTemplate, retiredBefore, retirementFindings } from './hand-over.ts'
import { listFiles } from './listed-files.ts'
import { lostPatches } from './patch-lost.ts'
import { podChangesOf, unknownKeysOf } from './pod-changes.ts'
import { namedElsewhere } from './references.ts'
import { restartFindings } from './restart-reasons.ts'
import { sharedFields } from './shares.ts'

/** What happens to the items of a package. */
export interface Outcome {
  /** Each plan with its changes. */
  readonly planned: readonly PlannedChanges[]
  /** All changes: those of the plans, and of objects that no subject of the package claims. */
  readonly changes: readonly Change[]
  readonly orphaned: readonly Change[]
  readonly findings: readonly Finding[]
  /** The replacement of an item; undefined where it is removed. An item without an entry stays. */
  readonly replaced: ReadonlyMap<Item, Item | undefined>
  readonly added: readonly Item[]
  /** The items of the package after the run. */
  readonly items: readonly Item[]
}

/**
 * Applies a plan to the package: changes, inputs and templates that are kept back, orphans, files that a kustomization
 * has to list. A run that only checks changes no kustomization.
 */
export function outcomeOf(
  planned: readonly Planned[],
  world: World,
  fleets: readonly Fleet[],
  isCheck = false,
): Outcome {
  const isRetiredBefore = retiredBefore(planned, world)
  if (planned.length === 0 && !world.plansAllSubjects) {
    const { replaced, findings } = markInputs(planned, world, new Map(), isRetiredBefore)
    return withItems({ planned: [], changes: [], orphaned: [], findings, replaced, added: [] }, world)
  }
  const orphans = world.plansAllSubjects ? orphansOf(planned, world) : []
  const places = new Places(world.items)
  const compared = compare(planned, orphans, world, places)
  const handed = handOver(planned, world, isRetiredBefore)
  const marked = markInputs(planned, world, handed.replaced, isRetiredBefore)
  const replaced = new Map<Item, Item | undefined>([...handed.replaced, ...marked.replaced])
  const current = (item: Item) => replaced.get(item) ?? item
  const shared = sharedFields({ planned, world, places, current })
  const completed = compared.planned.map((one, index) => {
    const fields = shared.changes.filter(({ by }) => by === planned[index])
    return fields.length === 0 ? one : { ...one, changes: [...one.changes, ...fields.map(({ change }) => change)] }
  })
  const orphaned = [
    ...compared.orphaned,
    ...shared.changes.flatMap(({ by, change }) => (by === undefined ? [change] : [])),
  ]
  const stops = agentStops(completed, { world, fleets, orphaned, current, isRetiredBefore })
  const left = orphaned.flatMap(({ kind, before }) => (kind === 'removed' && before !== undefined ? [before] : []))
  const pods = podChangesOf(completed, left, world, fleets)
  const outcomes = completed.map(
    (one): PlannedChanges => ({
      ...one,
      stops: stops.get(one) ?? [],
      pods: pods.get(one) ?? [],
      unknownKeys: unknownKeysOf(one, fleets),
    }),
  )
  const changes = [...completed.flatMap((one) => one.changes), ...orphaned]
  const listed = new Set(changes.flatMap(({ before }) => (before === undefined ? [] : [before])))
  const kept = [...compared.kept, ...releasedBefore(planned, world)].filter((item) => !listed.has(item))
  const added: Item[] = kept.map(({ object }) => newItem(withoutWireAnnotations(object)))
  for (const { before, after } of changes) {
    if (before !== undefined && world.holds(before)) replaced.set(before, after)
    else if (after !== undefined) added.push(after)
  }
  const files = listFiles({ planned: completed, changes, current, isCheck }, world)
  for (const [before, after] of files.replaced) replaced.set(before, after)
  const findings = [
    ...orphanFindings(orphans, planned, world),
    ...compared.findings,
    ...shared.findings,
    ...outcomes.flatMap((one) => [...changeFindings(one, world, fleets), ...restartFindings(one)]),
    ...handed.retiring.flatMap((item) => retirementFindings(item.object, world, outcomes)),
    ...handed.findings,
    ...marked.findings,
    ...files.findings,
    ...lostPatches(planned, world),
    ...namedElsewhere(planned, world, handed.retiring),
  ]
  return withItems(
    {
      planned: outcomes,
      changes,
      orphaned,
      findings,
      replaced,
      added,
    },
    world,
  )
}

/**
 * Returns what removed subjects released into output that was given separately: it is rendered again as it is, so that
 * no host prunes it.
 */
function releasedBefore(planned: readonly Planned[], world: World): Item[] {
  if (!world.plansAllSubjects || world.earlierOutput.length === 0) return []
  const claimed = new Set(planned.flatMap(({ earlier }) => earlier))
  const present = new Set(world.items.map(({ object }) => identityOf(object)))
  const planning = new Set(planned.flatMap(({ objects }) => objects.map(({ object }) => identityOf(object))))
  return world.earlierOutput.filter((item) => {
    const identity = identityOf(item.object)
    return (
      releaserOf(item.object) !== undefined && !claimed.has(item) && !present.has(identity) && !planning.has(identity)
    )
  })
}

function withItems(outcome: Omit<Outcome, 'items'>, { items }: World): Outcome {
  const { replaced, added } = outcome
  const kept = items.flatMap((item) => (replaced.has(item) ? (replaced.get(item) ?? []) : [item]))
  return { ...outcome, items: [...kept, ...added] }
}

/**
 * Marks inputs as local configuration. Nodes are shared by all, and are kept back only where something is rendered from
 * them. An object that another API would act on is kept back so that it can be handed back, and by a run for one
 * subject only where that run is about it, since nothing else would replace it. Objects that were rendered only to be
 * read again are never removed.
 */
function markInputs(
  planned: readonly Planned[],
  world: World,
  replaced: ReadonlyMap<Item, Item>,
  isRetiredBefore: (item: Item) => boolean,
): { replaced: Map<Item, Item>; findings: Finding[] } {
  const isOurs = ({ object }: Item) => apiGroup(object.apiVersion) === apiGroup(NODEFIT)
  // sources are marked by now; a subject that was given separately may be in the package as well
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
    const { item: kept, retired } = markTemplate(now, { refuse: world.planners.isDoubled(item.object) })
    if (retired && !isRetiredBefore(item)) findings.push(...retirementFindings(item.object, world))
    return [item, kept]
  })
  return { replaced: new Map(marked), findings }
}

/** Returns the input's items in their order, changed or removed as the outcomes say, followed by new ones. */
export function itemsAfter(items: readonly Item[], outcomes: readonly Outcome[]): Item[] {
  const replaced = new Map(outcomes.flatMap((outcome) => [...outcome.replaced]))
  const kept = items.flatMap((item) => (replaced.has(item) ? (replaced.get(item) ?? []) : [item]))
  return [...kept, ...outcomes.flatMap(({ added }) => added)]
}

/**
 * Returns nodefit's objects that no subject of their package claims, in the package or in earlier output that was given
 * separately. If the package holds output of an owner, only that counts.
 */
function orphansOf(planned: readonly Planned[], { items, earlierOutput }: World): Item[] {
  const claimed = new Set(planned.flatMap(({ earlier }) => earlier))
  const own = items.filter(({ object }) => ownerOf(object) !== undefined && !isFieldsDocument(object))
  const here = new Set([undefined, ...own.map(({ object }) => ownerOf(object))])
  const apart = earlierOutput.filter(({ object }) => !here.has(ownerOf(object)) && !isFieldsDocument(object))
  return [...own, ...apart].filter((item) => !claimed.has(item))
}

/**
 * Reports what happened to the owners: they are gone, they render nothing there now, or they render to another
 * namespace now. Combines owners that have the same mend. An owner that moved is told apart from one that is gone, so
 * that whoever allows the one does not allow the other.
 */
export function orphanFindings(
  orphans: readonly Item[],
  planned: readonly Planned[],
  { items, planners }: World,
): Finding[] {
  const subjects = indexBy(planned, ({ subject: { object } }) => ownerName(object.kind, object.metadata.name))
  const present = new Set(items.map(({ object }) => ownerName(object.kind, object.metadata.name)))
  const isMoved = ({ object }: Item) => subjects.has(ownerOf(object) ?? '')
  const left = orphans.filter((item) => !isMoved(item))
  const byMend = indexBy(left, ({ object }) => {
    const owner = ownerOf(object) ?? ''
    const usual = present.has(owner) ? IDLE_MEND : CHANGE_CODES.OrphanedOutput.mend
    return planners.orphanMend(owner.split('/')[0] ?? '') ?? usual
  })
  const byOwner = indexBy(orphans.filter(isMoved), ({ object }) => ownerOf(object) ?? '')
  return [
    ...[...byOwner].map(([owner, own]) => movedFinding(owner, own, subjects.get(owner) ?? [])),
    ...[...byMend].map(([mend, own]) => {
      const sentence = `${namesOf(own)} ${belong(own)} to ${ownersText(own, present)}`
      return finding('OrphanedOutput', sentence, { subject: own[0]?.object, mend })
    }),
  ]
}

const IDLE_MEND = 'Let its owner render it again, or remove the owner’s objects from their files by hand.'

function movedFinding(owner: string, own: readonly Item[], planned: readonly Planned[]): Finding {
  const sentence = `${namesOf(own)} ${belong(own)} to ${owner}, which now renders to ${namespacesOf(planned)}`
  return finding('PolicyMoved', sentence, { subject: own[0]?.object })
}

function namesOf(items: readonly Item[]): string {
  return listNames(items.map(({ object }) => describe(object)).sort())
}

function belong({ length }: readonly Item[]): string {
  return length === 1 ? 'belongs' : 'belong'
}

/** Formats the owners, and what happened to each. */
function ownersText(orphans: readonly Item[], present: ReadonlySet<string>): string {
  const owners = [...new Set(orphans.map(({ object }) => ownerOf(object) ?? ''))].sort()
  const absent = owners.filter((owner) => !present.has(owner))
  const idle = owners.filter((owner) => present.has(owner))
  const why = [
    ...(absent.length > 0 ? [`${absent.join(', ')}, which is not in the package`] : []),
    ...(idle.length > 0 ? [`${idle.join(', ')}, which renders nothing there now`] : []),
  ]
  return why.join(', and ')
}

function namespacesOf(planned: readonly Planned[]): string {
  const found = planned.flatMap(({ objects, subject, source }) => {
    const [first] = objects
    return first?.object.metadata.namespace ?? subject.object.metadata.namespace ?? source?.object.metadata.namespace
  })
  const named = [...new Set(found.filter((namespace) => namespace !== undefined))]
  return named.length === 0 ? 'no namespace' : `namespace ${named.join(' and ')}`
}
