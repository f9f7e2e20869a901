import type { World } from '../../core/index.ts'
import { withAnnotations } from '../../core/object/canonical.ts'
import {
  handOvers,
  hasSelfAntiAffinity,
  hostPortsOf,
  inWavesOf,
  isPrunedLast,
  nodesTaken,
  prunedLast,
  releaseWaves,
  SYNC_WAVE,
  waveOf,
} from '../../core/object/index.ts'
import type { Shape } from '../../facts/inventory/index.ts'
import type { Rollout, SizingSettings } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { describe, isLocalConfig } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { RENDERED, TEMPLATE } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { annotationOf, type Made, nodesOf, type Paced, paceRollout, progressOf, renderedMark } from './rollout-pace.ts'
import { deadlockFindings, waitFindings, wayBackTexts } from './wave-findings.ts'

/** The inputs of waves, besides the rendered objects. */
interface WavesInput {
  readonly rollout: Rollout
  readonly settings: SizingSettings
  readonly world: Pick<World, 'isSeen'>
  /** The policy's earlier objects, including those of groups that no longer exist. */
  readonly earlier: readonly KubernetesObject[]
  /** Whether anything in the input was rendered from the template before, by any policy. */
  readonly isAdopted: boolean
  readonly template: Item
  readonly shapes: readonly Shape[]
}

/**
 * Assigns groups to Argo CD's sync waves, counted from the wave of the template: Argo CD applies a wave once the one
 * before is healthy. Waves are recomputed only when a group changes, so that no object changes for its wave alone. A
 * group that takes over nodes comes before the group it takes them from, and before all others if that group is gone.
 * Objects are deleted last, after every wave is healthy. If pods exclude each other from a node, by host port or
 * anti-affinity, both are in one wave, since each would wait for the other, and nothing is deleted last.
 */
function orderInWaves(made: readonly Made[], input: WavesInput): Paced {
  const { rollout, settings, world, earlier, shapes } = input
  const { subject } = settings
  const objects = made.map(({ rendered }) => rendered.object)
  const field = { path: 'spec.rollout.waves', currentValue: true }
  const report = (code: Parameters<typeof finding>[0], sentence: string) =>
    finding(code, `${subject.metadata.name}: ${sentence}`, { subject, field })
  const stop = (code: 'InvalidField' | 'NeedsEarlierOutput', sentence: string) => ({
    value: made.map(({ rendered }) => rendered),
    findings: [report(code, sentence)],
  })
  if (objects.some(isOnDelete))
    return stop(
      'InvalidField',
      'spec.rollout.waves cannot be used with updateStrategy OnDelete, which Argo CD reports as healthy at once',
    )
  const arePodsExclusive = objects.some((object) => hostPortsOf(object).length > 0 || hasSelfAntiAffinity(object))
  if (arePodsExclusive && !world.isSeen)
    return stop(
      'NeedsEarlierOutput',
      'spec.rollout.waves needs the earlier output, because the pods use a host port or exclude each other by anti-affinity',
    )
  const withWaves = (waves: ReadonlyMap<string, string | undefined>) =>
    made.map(({ rendered }) => {
      const { object } = rendered
      const marks = {
        [SYNC_WAVE]: waves.get(object.metadata.name),
        [RENDERED]: world.isSeen ? renderedMark(object) : undefined,
        ...(arePodsExclusive ? {} : prunedLast(object)),
      }
      return { ...rendered, object: withAnnotations(object, marks) }
    })
  if (world.isSeen && !isChanged(made, earlier)) {
    const before = made.map(
      ({ rendered, before }) => [rendered.object.metadata.name, before && annotationOf(before, SYNC_WAVE)] as const,
    )
    return { value: withWaves(new Map(before)), findings: [] }
  }

  const groups = made.map(({ rendered }) => ({ name: rendered.object.metadata.name, nodeCount: rendered.nodeCount }))
  const taken = world.isSeen ? nodesTaken(earlier, objects, shapes) : []
  const order = inWaves(groups, world.isSeen ? giversOf(groups, taken) : remainderLast(made), {
    most: rollout.mostOf(nodesOf(groups)),
    isTogether: arePodsExclusive || earlier.some(hasSelfAntiAffinity),
  })
  const start = objects[0] === undefined ? 0 : waveOf(objects[0])
  const value = withWaves(new Map([...order].map(([name, wave]) => [name, String(start + wave)])))
  const after = value.map(({ object }) => object)
  const handed = inWavesOf(taken, earlier, after)
  const findings: Finding[] = [
    ...adoptionTexts(input).map((sentence) => report('AdoptionInWaves', sentence)),
    ...waitFindings({ before: earlier, after, shapes, handed }).map((sentence) => report('WavesWait', sentence)),
    ...deadlockFindings(earlier, after, handed, 'deleted').map((sentence) => report('WavesDeadlock', sentence)),
  ]
  return { value, findings }
}

/** Whether a group is new, no longer exists, or has a changed pod template. */
function isChanged(made: readonly Made[], earlier: readonly KubernetesObject[]): boolean {
  const names = new Set(made.map(({ rendered }) => rendered.object.metadata.name))
  const isGone = earlier.some(({ metadata }) => !names.has(metadata.name))
  return isGone || made.some(({ rendered, before }) => progressOf(rendered.object, before) !== 'steady')
}

function giversOf(
  groups: ReadonlyArray<{ readonly name: string }>,
  taken: ReturnType<typeof nodesTaken>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const givers = new Map(groups.map(({ name }) => [name, new Set<string>()]))
  for (const { from, to } of taken) givers.get(to)?.add(from)
  return givers
}

/** Where it is not known which group takes nodes from which, any group may take them from the remainder. */
function remainderLast(made: readonly Made[]): ReadonlyMap<string, ReadonlySet<string>> {
  const isRemainder = ({ rendered }: Made) => rendered.group?.kind === 'remainder'
  const names = (some: readonly Made[]) => some.map(({ rendered }) => rendered.object.metadata.name)
  const remainders = new Set(names(made.filter(isRemainder)))
  return new Map(names(made.filter((group) => !isRemainder(group))).map((name) => [name, remainders]))
}

/**
 * Explains why this may be an adoption: Argo CD deletes the static DaemonSet in the wave of that DaemonSet, and its
 * nodes wait for the waves of their groups. A template that is local configuration is not applied.
 */
function adoptionTexts({ isAdopted, template, world, settings }: WavesInput): string[] {
  const { object } = template
  if (isAdopted || settings.target.kind !== 'DaemonSet' || isLocalConfig(object.metadata.annotations)) return []
  const what = describe(object)
  const how = world.isSeen
    ? `${what} is still applied itself`
    : `without the earlier output this run cannot tell whether ${what} is still applied itself`
  return [
    `spec.rollout.waves cannot be used for an adoption: ${how}, and Argo CD by default deletes it in the first wave, when the nodes of later waves have no other agent yet`,
  ]
}

function isOnDelete({ spec }: KubernetesObject): boolean {
  return memberOf(memberOf(spec, 'updateStrategy'), 'type') === 'OnDelete'
}

interface Group {
  readonly name: string
  readonly nodeCount: number
}

/** Groups that share a wave. */
type Unit = readonly Group[]

/**
 * Returns the wave of each group by name, counted from 0. Consecutive groups in name order share a wave while their
 * nodes stay within `most`. `givers` maps each group to those it takes nodes over from: it is in an earlier wave than
 * these; groups that take nodes from each other share one. With `isTogether`, all groups that hand nodes to each other
 * share one. Before all others come the groups that take nodes from objects that are not in `groups`, since these are
 * deleted, and the groups that must come before them.
 */
export function inWaves(
  groups: readonly Group[],
  givers: ReadonlyMap<string, ReadonlySet<string>>,
  { most, isTogether }: { readonly most: number; readonly isTogether: boolean },
): ReadonlyMap<string, number> {
  const units = unitsOf(groups, givers, isTogether)
  const unitOf = new Map(units.flatMap((unit) => unit.map(({ name }) => [name, unit] as const)))
  const takers = new Map(units.map((unit) => [unit, new Set<Unit>()]))
  for (const [taker, from] of givers) {
    for (const giver of from) {
      const [first, second] = [unitOf.get(taker), unitOf.get(giver)]
      if (first !== undefined && second !== undefined && first !== second) takers.get(second)?.add(first)
    }
  }
  const early = takersOfDeleted(units, givers, takers)
  const inTurn = [...units.filter((unit) => early.has(unit)), ...units.filter((unit) => !early.has(unit))]
  const waves = new Map<Unit, number>()
  let wave = 0
  let used = 0
  while (waves.size < units.length) {
    const next = inTurn.find((unit) => !waves.has(unit) && [...(takers.get(unit) ?? [])].every((one) => waves.has(one)))
    if (next === undefined) throw new Error('units of groups that hand nodes to each other are one')
    const nodes = nodesOf(next)
    const follows = [...(takers.get(next) ?? [])].some((one) => waves.get(one) === wave)
    if (follows || (used > 0 && used + nodes > most)) {
      wave += 1
      used = 0
    }
    used += nodes
    waves.set(next, wave)
  }
  return new Map(groups.map((group) => [group.name, waves.get(unitOf.get(group.name) ?? []) ?? 0]))
}

/** Returns the units that take nodes from deleted objects, with all that must come before them. */
function takersOfDeleted(
  units: readonly Unit[],
  givers: ReadonlyMap<string, ReadonlySet<string>>,
  takers: ReadonlyMap<Unit, ReadonlySet<Unit>>,
): ReadonlySet<Unit> {
  const rendered = new Set(units.flatMap((unit) => unit.map(({ name }) => name)))
  const takesDeleted = ({ name }: Group) => [...(givers.get(name) ?? [])].some((giver) => !rendered.has(giver))
  const found = new Set(units.filter((unit) => unit.some(takesDeleted)))
  // a set that grows while it is iterated visits what is added
  for (const unit of found) for (const before of takers.get(unit) ?? []) found.add(before)
  return found
}

/** Returns the groups that must share a wave, as lists; each list and all of them are in name order. */
function unitsOf(
  groups: readonly Group[],
  givers: ReadonlyMap<string, ReadonlySet<string>>,
  isTogether: boolean,
): Group[][] {
  const inOrder = [...groups].sort((a, b) => (a.name < b.name ? -1 : 1))
  const links = isTogether ? bothWays(givers) : givers
  const reached = new Map(inOrder.map(({ name }) => [name, reachedFrom(name, links)]))
  const units: Group[][] = []
  for (const group of inOrder) {
    const unit = units.find(([first]) => {
      const other = first?.name ?? ''
      return reached.get(group.name)?.has(other) && reached.get(other)?.has(group.name)
    })
    if (unit === undefined) units.push([group])
    else unit.push(group)
  }
  return units
}

function bothWays(givers: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const links = new Map([...givers].map(([name, from]) => [name, new Set(from)]))
  for (const [taker, from] of givers) for (const giver of from) links.get(giver)?.add(taker)
  return links
}

function reachedFrom(start: string, links: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let name = open.pop(); name !== undefined; name = open.pop())
    for (const next of links.get(name) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  return reached
}

type RollOutInput = Omit<WavesInput, 'rollout' | 'world'> & { readonly world: Parameters<typeof paceRollout>[3] }

/**
 * Returns the objects to render in this run according to the policy's rollout: all of them without a rollout, else
 * paced by `every` or ordered in waves.
 */
export function rollOut(made: readonly Made[], input: RollOutInput): Paced {
  const { rollout } = input.settings
  if (rollout !== undefined && rollout.every === undefined) return orderInWaves(made, { ...input, rollout })
  const paced = pace(made, input)
  return { ...paced, findings: [...paced.findings, ...lateDeletions(paced, input)] }
}

function pace(made: readonly Made[], { settings, world }: RollOutInput): Paced {
  const { rollout } = settings
  if (rollout?.every === undefined) return { value: made.map(({ rendered }) => rendered), findings: [] }
  return paceRollout(made, { ...rollout, every: rollout.every }, settings, world)
}

/** Reports objects that an earlier run put in a later wave, or had deleted last, than what takes over their nodes. */
function lateDeletions({ value }: Paced, { earlier, shapes, settings: { subject } }: RollOutInput): Paced['findings'] {
  const after = value.map(({ object }) => object)
  const names = new Set(after.map(({ metadata }) => metadata.name))
  const first = Math.min(...after.map(waveOf))
  const isLate = (object: KubernetesObject) =>
    !names.has(object.metadata.name) && (isPrunedLast(object) || waveOf(object) > first)
  if (!earlier.some(isLate)) return []
  return deadlockFindings(earlier, after, handOvers(earlier, after, shapes), 'later').map((sentence) =>
    finding('WavesDeadlock', `${subject.metadata.name}: ${sentence}`, { subject }),
  )
}

/**
 * Reports a disabled policy whose output Argo CD would never delete: the static DaemonSet is applied again, and waits
 * for pods in later waves.
 */
export function wayBackFindings(
  { object }: Item,
  earlier: readonly KubernetesObject[],
  { subject }: RollOutInput['settings'],
): Finding[] {
  const { annotations } = object.metadata
  // a template that its user keeps local is not applied again
  const isApplied = !isLocalConfig(annotations) || annotations?.[TEMPLATE] === 'true'
  if (!isApplied) return []
  return wayBackTexts(earlier, object, releaseWaves(earlier, [object])).map((sentence) =>
    finding('WavesDeadlock', `${subject.metadata.name}: ${sentence}`, { subject }),
  )
}
