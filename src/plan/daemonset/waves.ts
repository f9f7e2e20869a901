import type { World } from '../../core/index.ts'
import {
  hasSelfAntiAffinity,
  hostPortsOf,
  inWavesOf,
  nodesTaken,
  prunedLast,
  SYNC_WAVE,
  waveOf,
} from '../../core/object/index.ts'
import { withAnnotations } from '../../core/object/with-annotations.ts'
import type { Shape } from '../../facts/inventory/index.ts'
import type { Rollout, SizingSettings } from '../../kinds/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { describe } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { RENDERED } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { nodesOf } from './rollout-budget.ts'
import { annotationOf, progressOf, renderedMark } from './rollout-mark.ts'
import type { Made, Paced } from './rollout-pace.ts'
import { deadlockFindings, waitFindings } from './wave-findings.ts'
import { inWaves } from './wave-order.ts'

/** The inputs of waves, besides the rendered objects. */
export interface WavesInput {
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
export function orderInWaves(made: readonly Made[], input: WavesInput): Paced {
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
