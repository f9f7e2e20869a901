import { listNames, plural } from '../finding/index.ts'
import type { Shape } from '../inventory/index.ts'
import { memberOf } from '../krm/map.ts'
import { RENDERED } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { hasSelfAntiAffinity, hostPortsOf, podSpecOf, servedNodes } from '../object/index.ts'
import { withAnnotations } from '../object/with-annotations.ts'
import type { Rollout, SizingSettings } from '../policy/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'
import { nodesOf } from './rollout-budget.ts'
import { annotationOf, progressOf, renderedMark } from './rollout-mark.ts'
import type { Made, Paced } from './rollout-pace.ts'
import { handedOver, inWaves } from './wave-order.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'

/** The inputs of waves, besides the rendered objects. */
export interface WavesInput {
  readonly rollout: Rollout
  readonly settings: SizingSettings
  readonly world: Pick<World, 'isSeen'>
  /** The policy's earlier objects, including those of groups that no longer exist. */
  readonly earlier: readonly KubernetesObject[]
  readonly shapes: readonly Shape[]
}

/**
 * Assigns groups to Argo CD's sync waves, counted from the wave of the template: Argo CD applies a wave once the one
 * before is healthy. Waves are recomputed only when a group changes, so that no object changes for its wave alone. A
 * group that takes over nodes comes before the groups it takes them from. If pods exclude each other from a node, by
 * host port or anti-affinity, both are in one wave, since each would wait for the other.
 */
export function orderInWaves(made: readonly Made[], input: WavesInput): Paced {
  const { rollout, settings, world, earlier, shapes } = input
  const { subject } = settings
  const objects = made.map(({ rendered }) => rendered.object)
  const field = { path: 'spec.rollout.waves', currentValue: true }
  const stop = (code: 'InvalidField' | 'NeedsEarlierOutput', sentence: string) => ({
    value: made.map(({ rendered }) => rendered),
    findings: [finding(code, `${subject.metadata.name}: ${sentence}`, { subject, field })],
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
      const mark = world.isSeen ? renderedMark(object) : undefined
      return {
        ...rendered,
        object: withAnnotations(object, { [WAVE]: waves.get(object.metadata.name), [RENDERED]: mark }),
      }
    })
  if (world.isSeen && !isChanged(made, earlier))
    return {
      value: withWaves(
        new Map(
          made.map(({ rendered, before }) => [rendered.object.metadata.name, before && annotationOf(before, WAVE)]),
        ),
      ),
      findings: [],
    }

  const groups = made.map(({ rendered }) => ({ name: rendered.object.metadata.name, nodeCount: rendered.nodeCount }))
  const order = inWaves(groups, handedOver(objects, world.isSeen ? earlier : [], shapes), {
    most: rollout.mostOf(nodesOf(groups)),
    isTogether: arePodsExclusive,
  })
  const start = ownWave(objects)
  return {
    value: withWaves(new Map([...order].map(([name, wave]) => [name, String(start + wave)]))),
    findings: waitFindings(objects, order, shapes).map((sentence) =>
      finding('WavesWait', `${subject.metadata.name}: ${sentence}`, { subject, field }),
    ),
  }
}

/** Whether a group is new, no longer exists, or has a changed pod template. */
function isChanged(made: readonly Made[], earlier: readonly KubernetesObject[]): boolean {
  const names = new Set(made.map(({ rendered }) => rendered.object.metadata.name))
  const isGone = earlier.some(({ metadata }) => !names.has(metadata.name))
  return isGone || made.some(({ rendered, before }) => progressOf(rendered.object, before) !== 'steady')
}

/** Returns the sync wave of the template, which every object copies; 0 if there is none. */
function ownWave([first]: readonly KubernetesObject[]): number {
  const text = first && annotationOf(first, WAVE)
  return text !== undefined && /^[+-]?[0-9]{1,9}$/.test(text) ? Number(text) : 0
}

/** Reports nodes that are not ready, by DaemonSet: it does not become healthy, so all later waves wait. */
function waitFindings(
  objects: readonly KubernetesObject[],
  order: ReadonlyMap<string, number>,
  shapes: readonly Shape[],
): string[] {
  const last = Math.max(0, ...order.values())
  return objects.flatMap((object) => {
    const wave = order.get(object.metadata.name) ?? last
    if (wave === last) return []
    const pod = podSpecOf(object)
    const nodes = shapes
      .filter(({ ready }) => ready !== 'True')
      .flatMap((shape) => {
        const served = servedNodes(pod, shape)
        return served === 'all' ? shape.nodes : served
      })
    if (nodes.length === 0) return []
    const which = `${listNames([...nodes].sort())} of ${object.metadata.name}`
    return [
      `${which} ${nodes.length === 1 ? 'is' : 'are'} not ready: ${plural(last - wave, 'later wave')} ${last - wave === 1 ? 'waits' : 'wait'} for ${nodes.length === 1 ? 'its agent' : 'their agents'}`,
    ]
  })
}

function isOnDelete({ spec }: KubernetesObject): boolean {
  return memberOf(memberOf(spec, 'updateStrategy'), 'type') === 'OnDelete'
}
