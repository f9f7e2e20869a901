/** What Argo CD's sync waves do to nodes that change from one object to another, as gitops-engine orders its tasks. */
import type { Shape } from '../../facts/inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isReadablePodSpec, podSpecOf, servedNodes } from './served.ts'

export const SYNC_WAVE = 'argocd.argoproj.io/sync-wave'
const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options'
const PRUNE_LAST = 'PruneLast=true'

/** Nodes that one object takes over from another. Objects are identified by name. */
export interface NodesTaken {
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
