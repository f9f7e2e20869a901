import type { Fleet, Shape } from '../../facts/inventory/index.ts'
import { isMap, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  daemonTolerations,
  type Labels,
  matchesNode,
  type PodSpec,
  type Taint,
  type Toleration,
  unlessMalformed,
  untoleratedTaint,
} from '../../kube/index.ts'

/** The nodes on which the pods of a rendered object may stay, whatever a user changed in it. */

/** Whether the fields of a pod that must be lists of maps are such lists. */
export function isReadablePodSpec({ containers, initContainers, tolerations }: PodSpec): boolean {
  const lists: unknown[] = [containers ?? [], initContainers ?? [], tolerations ?? []]
  return lists.every((list) => Array.isArray(list) && list.every(isMap))
}

/**
 * Returns the shapes of a cluster, or of all clusters if the cluster is not known. Node objects name no cluster: where
 * no inventory is of the cluster, they are its nodes.
 */
export function clusterShapes(fleets: readonly Fleet[], cluster: string | undefined): readonly Shape[] {
  const named = fleets.filter((one) => cluster === undefined || one.cluster === cluster)
  const ofCluster = named.length > 0 ? named : fleets.filter((one) => one.cluster === '')
  const [only, another] = ofCluster
  // no copy for a single fleet: there are many callers, and a copy costs more than what they read
  return only !== undefined && another === undefined ? only.shapes : ofCluster.flatMap(({ shapes }) => shapes)
}

/** Returns how many of the nodes the pods may stay on. */
export function countServedNodes(pod: PodSpec, shapes: readonly Shape[]): number {
  return shapes.reduce((sum, shape) => {
    const served = servedNodes(pod, shape)
    return sum + (served === 'all' ? shape.nodeCount : served.length)
  }, 0)
}

/** Returns the nodes of a shape on which the pods may stay: all, or the named ones. */
export function servedNodes(pod: PodSpec, { labels, taints, nodes }: Shape): 'all' | readonly string[] {
  if (untoleratedTaint([...taints], daemonTolerations(pod), ['NoExecute']) !== undefined) return []
  // requirements on the name of a node without a name count as met
  if (requiresNames(pod)) return nodes.filter((name) => admits(pod, name, labels))
  return admits(pod, '', labels) ? 'all' : []
}

function admits(pod: PodSpec, name: string, labels: Labels): boolean {
  return unlessMalformed(() => matchesNode({ name, labels }, pod)) ?? false
}

function requiresNames({ affinity }: PodSpec): boolean {
  const terms: unknown = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return Array.isArray(terms) && terms.some((term) => isMap(term) && Object.hasOwn(term, 'matchFields'))
}

/** Returns the pod spec of an object's template; empty if there is none. */
export function podSpecOf({ spec }: KubernetesObject): PodSpec {
  const { template } = (spec ?? {}) as { template?: { spec?: PodSpec | null } | null }
  return template?.spec ?? {}
}

/** Returns the labels of the pods of an object's template; empty if it has none. */
export function podLabels({ spec }: KubernetesObject): Labels {
  const labels = memberOf(memberOf(memberOf(spec, 'template'), 'metadata'), 'labels')
  return isMap(labels) ? (labels as Labels) : {}
}

/** Taints of a node's state. They come and go, so they do not affect membership. */
const STATE_TAINTS = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
])

/** The first taint that is not tolerated, node state taints left out. */
export function lastingTaint(
  shape: Shape,
  tolerations: Toleration[],
  effect: 'NoExecute' | 'NoSchedule',
): Taint | undefined {
  return untoleratedTaint([...lastingTaints(shape)], tolerations, [effect])
}

/** Returns the nodes of a shape that are pods' for good: as `servedNodes`, node state taints left out. */
export function memberNodes(pod: PodSpec, shape: Shape): 'all' | readonly string[] {
  return servedNodes(pod, { ...shape, taints: lastingTaints(shape) })
}

function lastingTaints({ taints }: Shape): readonly Taint[] {
  return taints.filter(({ key }) => !STATE_TAINTS.has(key))
}

/** What Argo CD's sync waves do to nodes that change from one object to another, as gitops-engine orders its tasks. */

export const SYNC_WAVE = 'argocd.argoproj.io/sync-wave'
const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options'
const PRUNE_LAST = 'PruneLast=true'

/** Nodes that one object takes over from another. Objects are identified by name. */
interface NodesTaken {
  readonly from: string
  readonly to: string
  /** Whether `from` is deleted, since it is no longer rendered. */
  readonly isDeleted: boolean
  /** The nodes whose names the inventory has, sorted; `nodeCount` counts the others as well. */
  readonly nodes: readonly string[]
  readonly nodeCount: number
}

/** Nodes that one object takes over from another in one sync of Argo CD. */
export interface HandOver extends NodesTaken {
  /** The wave in which `from` gives the nodes up: the one it is applied or deleted in. */
  readonly release: number
  /** The wave in which `to` is applied. */
  readonly start: number
}

/** Returns whether the nodes wait without a pod until the waves between have become healthy. */
export function waitsBetweenWaves({ release, start }: Pick<HandOver, 'release' | 'start'>): boolean {
  return release < start
}

/**
 * Returns the nodes that each object takes over from another in one sync, with the waves in which that happens. Both
 * sides are as they are applied: with their sync waves and options.
 */
export function handOvers(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  shapes: readonly Shape[],
): HandOver[] {
  return inWavesOf(nodesTaken(before, after, shapes), before, after)
}

/** Returns hand-overs with the waves that the objects have now. */
export function inWavesOf(
  taken: readonly NodesTaken[],
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): HandOver[] {
  const releases = releaseWaves(before, after)
  const starts = new Map(after.map((object) => [object.metadata.name, waveOf(object)]))
  return taken.map((one) => ({ ...one, release: releases.get(one.from) ?? 0, start: starts.get(one.to) ?? 0 }))
}

/** Returns the nodes that each object takes over from another, whatever waves they are in. */
export function nodesTaken(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  shapes: readonly Shape[],
): NodesTaken[] {
  const rendered = new Set(after.map(({ metadata }) => metadata.name))
  const found = new Map<string, NodesTaken>()
  const add = (from: string | undefined, to: string, nodes: readonly string[], nodeCount: number) => {
    if (from === undefined || from === to || nodeCount === 0) return
    const key = `${from} ${to}`
    const known = found.get(key)
    found.set(key, {
      ...{ from, to, isDeleted: !rendered.has(from) },
      nodes: [...(known?.nodes ?? []), ...nodes].sort(),
      nodeCount: (known?.nodeCount ?? 0) + nodeCount,
    })
  }
  for (const shape of shapes) {
    const [were, are] = [serversOf(before, shape), serversOf(after, shape)]
    for (const [node, to] of are) {
      if (node !== ALL) add(were.get(node) ?? were.get(ALL), to, [node], 1)
      else if (were.has(ALL)) add(were.get(ALL), to, shape.nodes, shape.nodeCount)
      else for (const [former, from] of were) add(from, to, [former], 1)
    }
  }
  return [...found.values()]
}

/**
 * Returns the wave in which each earlier object gives up nodes: the one in which it is applied anew, or deleted. Argo
 * CD deletes what is gone by the waves it has in the cluster, in reverse order among themselves; with PruneLast after
 * the last wave of all, which is at least 0 (gitops-engine's `getSyncTasks`).
 */
export function releaseWaves(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): ReadonlyMap<string, number> {
  const applied = new Map(after.map((object) => [object.metadata.name, waveOf(object)]))
  const gone = before.filter(({ metadata }) => !applied.has(metadata.name))
  const inOrder = [...new Set(gone.map(waveOf))].sort((a, b) => a - b)
  const reversed = new Map(inOrder.map((wave, index) => [wave, inOrder[inOrder.length - 1 - index] ?? wave]))
  const deleted = new Map(gone.map((object) => [object, reversed.get(waveOf(object)) ?? 0]))
  const last = Math.max(0, ...applied.values(), ...deleted.values()) + 1
  return new Map([
    ...applied,
    ...gone.map(
      (object) => [object.metadata.name, isPrunedLast(object) ? last : (deleted.get(object) ?? 0)] as [string, number],
    ),
  ])
}

/** Returns the sync wave of an object; 0 if it has none that Argo CD can read. */
export function waveOf({ metadata }: KubernetesObject): number {
  const text: unknown = metadata.annotations?.[SYNC_WAVE]
  return typeof text === 'string' && /^[+-]?[0-9]{1,9}$/.test(text) ? Number(text) : 0
}

/** Returns the annotation by which Argo CD deletes an object only when every wave of the sync is healthy. */
export function prunedLast({ metadata }: KubernetesObject): Record<string, string> {
  const present = syncOptions(metadata.annotations)
  return { [SYNC_OPTIONS]: (present.includes(PRUNE_LAST) ? present : [...present, PRUNE_LAST]).join(',') }
}

/** Whether Argo CD deletes the object only when every wave of the sync is healthy. */
export function isPrunedLast({ metadata }: KubernetesObject): boolean {
  return syncOptions(metadata.annotations).includes(PRUNE_LAST)
}

function syncOptions(annotations: Record<string, string> | null | undefined): string[] {
  const text: unknown = annotations?.[SYNC_OPTIONS]
  if (typeof text !== 'string') return []
  return text.split(',').flatMap((option) => (option.trim() === '' ? [] : [option.trim()]))
}

/** Stands for all nodes of a shape; no node has an empty name. */
const ALL = ''

/** Returns the name of the object that serves each node of a shape, under `ALL` if one object serves all of them. */
function serversOf(objects: readonly KubernetesObject[], shape: Shape): ReadonlyMap<string, string> {
  const servers = new Map<string, string>()
  for (const object of objects) {
    const pod = podSpecOf(object)
    if (!isReadablePodSpec(pod)) continue
    const served = servedNodes(pod, shape)
    if (served === 'all') return servers.set(ALL, object.metadata.name)
    for (const node of served) servers.set(node, object.metadata.name)
  }
  return servers
}

/** Returns the repositories of the containers' images as one text; undefined where a container has no image. */
export function imagesOf(object: KubernetesObject): string | undefined {
  const containers: unknown = podSpecOf(object).containers
  if (!Array.isArray(containers) || containers.length === 0) return undefined
  const images = containers.map((container) => (container as { image?: unknown } | null)?.image)
  if (!images.every((image) => typeof image === 'string')) return undefined
  return [...new Set(images.map(repositoryOf))].sort().join(' ')
}

/** Returns an image without digest and tag; a colon before the last slash begins a port. */
function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^:/]*$/, '')
}
