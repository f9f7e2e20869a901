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

/** What waves are made of beside the rendered objects. */
export interface WavesInput {
  readonly rollout: Rollout
  readonly settings: SizingSettings
  readonly world: Pick<World, 'isSeen'>
  /** What the policy rendered before, of groups that are gone, too. */
  readonly earlier: readonly KubernetesObject[]
  readonly shapes: readonly Shape[]
}

/**
 * Puts groups into Argo CD's sync waves, counted from the template's own: Argo CD applies a wave once all of the one
 * before is healthy. They are recomputed only when a group changes, so that no object changes for its wave alone.
 * What takes nodes over goes before what it takes them from; where pods hold their node both are in one wave, since
 * each would wait for the other.
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
  const holds = objects.some((object) => hostPortsOf(object).length > 0 || hasSelfAntiAffinity(object))
  if (holds && !world.isSeen)
    return stop(
      'NeedsEarlierOutput',
      'spec.rollout.waves needs the earlier output, because the pods use a host port or exclude each other by anti-affinity',
    )
  const value = (waves: ReadonlyMap<string, string | undefined>) =>
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
      value: value(
        new Map(
          made.map(({ rendered, before }) => [rendered.object.metadata.name, before && annotationOf(before, WAVE)]),
        ),
      ),
      findings: [],
    }

  const groups = made.map(({ rendered }) => ({ name: rendered.object.metadata.name, nodeCount: rendered.nodeCount }))
  const order = inWaves(groups, handedOver(objects, world.isSeen ? earlier : [], shapes), {
    most: rollout.mostOf(nodesOf(groups)),
    isTogether: holds,
  })
  const start = ownWave(objects)
  return {
    value: value(new Map([...order].map(([name, wave]) => [name, String(start + wave)]))),
    findings: waitFindings(objects, order, shapes).map((sentence) =>
      finding('WavesWait', `${subject.metadata.name}: ${sentence}`, { subject, field }),
    ),
  }
}

/** Whether a group is new, gone, or differs in its pods. */
function isChanged(made: readonly Made[], earlier: readonly KubernetesObject[]): boolean {
  const names = new Set(made.map(({ rendered }) => rendered.object.metadata.name))
  const isGone = earlier.some(({ metadata }) => !names.has(metadata.name))
  return isGone || made.some(({ rendered, before }) => progressOf(rendered.object, before) !== 'steady')
}

/** The wave of the template, which every object has a copy of. */
function ownWave([first]: readonly KubernetesObject[]): number {
  const text = first && annotationOf(first, WAVE)
  return text !== undefined && /^[+-]?[0-9]{1,9}$/.test(text) ? Number(text) : 0
}

/** A node that is not ready keeps its DaemonSet from being healthy, and all later waves waiting. */
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
