import { indexBy } from '../../core/index.ts'
import {
  type HandOver,
  hasSelfAntiAffinity,
  hostPortsOf,
  podSpecOf,
  rememberedNodes,
  servedNodes,
  waitsBetweenWaves,
  waveOf,
} from '../../core/object/index.ts'
import type { Shape } from '../../facts/inventory/index.ts'
import { listNames, plural } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import type { KubernetesObject } from '../../krm/types.ts'

/** One sync of Argo CD: what was applied before it, what it applies, and the nodes that change hands. */
interface Sync {
  readonly before: readonly KubernetesObject[]
  readonly after: readonly KubernetesObject[]
  readonly shapes: readonly Shape[]
  readonly handed: readonly HandOver[]
}

const SHOWN = 3

/** Reports, as sentences, nodes that wait without an agent between waves, and nodes for which the sync itself waits. */
export function waitFindings({ before, after, shapes, handed }: Sync): string[] {
  const without = handed.filter(waitsBetweenWaves).map(({ from, to, nodes, nodeCount, isDeleted, release, start }) => {
    const which = nodes.length === 0 ? plural(nodeCount, 'node') : listNames(nodes, SHOWN, nodeCount)
    const how = isDeleted ? 'is deleted' : 'gives them up'
    return `${which} ${nodeCount === 1 ? 'waits' : 'wait'} without an agent from wave ${release}, in which ${from} ${how}, to wave ${start}, in which ${to} takes over`
  })
  return [...without, ...notReadyTexts(before, after, shapes)]
}

/** Formats nodes that are not ready, by DaemonSet: it does not become healthy, so all that comes later waits. */
function notReadyTexts(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  shapes: readonly Shape[],
): string[] {
  const waves = [...new Set(after.map(waveOf))].sort((a, b) => a - b)
  const rendered = new Set(after.map(({ metadata }) => metadata.name))
  const gone = before.map(({ metadata }) => metadata.name).filter((name) => !rendered.has(name))
  const notReady = shapes.filter(({ ready }) => ready !== 'True')
  return after.flatMap((object) => {
    const later = waves.filter((wave) => wave > waveOf(object)).length
    const waiting = [
      ...(later === 0 ? [] : [plural(later, 'later wave')]),
      ...(gone.length === 0 ? [] : [`the deletion of ${listNames(gone)}`]),
    ]
    if (waiting.length === 0) return []
    const pod = podSpecOf(object)
    const nodes = notReady.flatMap((shape) => {
      const served = servedNodes(pod, shape)
      return served === 'all' ? shape.nodes : served
    })
    if (nodes.length === 0) return []
    const which = `${listNames([...nodes].sort())} of ${object.metadata.name}`
    return [
      `${which} ${nodes.length === 1 ? 'is' : 'are'} not ready: ${waiting.join(' and ')} ${later + gone.length === 1 ? 'waits' : 'wait'} for ${nodes.length === 1 ? 'its agent' : 'their agents'}`,
    ]
  })
}

/**
 * Reports, as sentences, nodes that pass between pods that exclude each other, from an object that is deleted. With
 * `deleted` every such object is reported, since an Application may delete it last; with `later` only one that is
 * deleted after its successor is applied.
 */
export function deadlockFindings(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  handed: readonly HandOver[],
  which: 'deleted' | 'later',
): string[] {
  const [was, is] = [before, after].map((objects) => indexBy(objects, ({ metadata }) => metadata.name))
  return handed.flatMap(({ from, to, nodes, nodeCount, isDeleted, release, start }) => {
    const [[former], [next]] = [was?.get(from) ?? [], is?.get(to) ?? []]
    if (former === undefined || next === undefined || !isDeleted || (which === 'later' && release <= start)) return []
    const why = exclusionText(former, next)
    if (why === undefined) return []
    const held = nodes.length === 0 ? plural(nodeCount, 'node') : listNames(nodes, SHOWN, nodeCount)
    return [
      `${from} is deleted and ${to} takes over ${held}, but ${why}: Argo CD waits for the new pods before it deletes ${from}, whose pods keep them from starting`,
    ]
  })
}

/**
 * Reports, as a sentence, objects whose nodes go back to a static DaemonSet that is applied again, where Argo CD
 * deletes them after the wave of that DaemonSet; `waves` are those in which they are deleted.
 */
export function wayBackTexts(
  before: readonly KubernetesObject[],
  released: KubernetesObject,
  waves: ReadonlyMap<string, number>,
): string[] {
  const start = waveOf(released)
  const late = before.filter(
    (object) =>
      (waves.get(object.metadata.name) ?? start) > start &&
      exclusionText(object, released) !== undefined &&
      rememberedNodes(object) !== 0,
  )
  const why = late[0] && exclusionText(late[0], released)
  if (why === undefined) return []
  const names = listNames(late.map(({ metadata }) => metadata.name))
  return [
    `${names} ${late.length === 1 ? 'is' : 'are'} deleted and ${describe(released)} is applied again, but ${why}: Argo CD waits for the new pods before it deletes what is in later waves, whose pods keep them from starting`,
  ]
}

/** Returns why pods of two objects cannot run on one node; undefined if they can. */
function exclusionText(former: KubernetesObject, next: KubernetesObject): string | undefined {
  const held = new Set(hostPortsOf(former))
  const ports = hostPortsOf(next).filter((port) => held.has(port))
  if (ports.length > 0) return `both use host ${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`
  return hasSelfAntiAffinity(former) || hasSelfAntiAffinity(next)
    ? 'their pods exclude each other by anti-affinity'
    : undefined
}
