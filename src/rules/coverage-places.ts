import type { Constraints, Planned } from '../core/index.ts'
import { type Fleet, type Nodes, namedNodes, nodesText, type Shape } from '../facts/inventory/index.ts'
import { listNames, plural } from '../krm/finding/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { type NodeIdentity, Region, type Requirements, regionOfPod, unlessMalformed } from '../kube/index.ts'
import { placeOf, unnamedShapes } from './place.ts'

/** A rendered object, the nodes its pods may be on, and the subject it belongs to. */
export interface Served {
  readonly by: Planned
  readonly object: KubernetesObject
  readonly region: Region
}

/** A node that exists or may come, or the nodes of a shape without names: those are the same except for their names. */
export type KnownNode = NodeIdentity & Pick<Shape, 'taints'> & Nodes

/** Returns every object that a subject renders, with the nodes its pods may be on. */
export function servedBy(planned: Planned): Served[] {
  return planned.objects.map(({ object }) => ({ by: planned, object, region: placeOf(object) ?? Region.nowhere }))
}

/**
 * Returns where a source's pods may be, before any policy; undefined where that cannot be read, which is reported where
 * the source is read.
 */
export function regionOfSource({ pod }: Constraints): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod))
}

/**
 * Returns where the pods of a policy may be: its source's region, narrowed by the policy; undefined where that cannot
 * be read.
 */
export function regionOfPolicy({ pod, nodeSelector, affinity }: Constraints): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod).and(regionOfPod({ nodeSelector, affinity })))
}

/**
 * Returns the nodes that exist, and those without a name: of shapes that are only counted, and of node types that may
 * come.
 */
export function knownNodes(fleets: readonly Fleet[]): KnownNode[] {
  const known = fleets.flatMap(({ shapes }) =>
    shapes.flatMap(({ labels, taints, nodes }) =>
      nodes.map((name) => ({ name, labels, taints, ...namedNodes([name]) })),
    ),
  )
  const unnamed = unnamedShapes(fleets).map(({ labels, taints, nodes, nodeCount }) => {
    return { name: UNNAMED, labels, taints, nodes: [], nodeCount: nodeCount - nodes.length }
  })
  return [...known, ...unnamed]
}

/**
 * A placeholder for the name of a node without one; no inventory has a node of this name. Constraints on node names are
 * refused where nodes are only counted.
 */
export const UNNAMED = 'node-without-name'

/** Formats a node for a message: its name where it exists today, else its labels. */
export function nodeText({ labels }: NodeIdentity, name?: string): string {
  if (name !== undefined) return `node ${name}`
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? 'a node without labels' : `a node with ${listNames(pairs, 5)}`
}

/** How many values of a label a message lists. */
const MOST_VALUES = 5

/**
 * Formats a kind of node for a message: labels with their values, with an example, or with the values that they do not
 * have, then labels that are absent.
 */
export function kindText(kind: Requirements): string {
  const { labels = {} } = kind.witness() ?? {}
  const keys = kind.keys.filter((key) => typeof key === 'string').sort()
  const present: string[] = []
  const absent: string[] = []
  for (const key of keys) {
    const values = kind.valuesOf(key)
    const listed = [...(values.listedValues ?? [])].sort()
    const [first] = values.selectorOn(key)
    if (listed.length > 1) present.push(`${key} in (${listNames(listed, MOST_VALUES)})`)
    else if (Object.hasOwn(labels, key)) present.push(`${key}=${labels[key]}`)
    else if (first?.operator === 'NotIn') present.push(`${key} notin (${listNames(first.values ?? [], MOST_VALUES)})`)
    else absent.push(key)
  }
  if (absent.length === 0) return present.length === 0 ? 'any node' : `a node with ${listNames(present, MOST_VALUES)}`
  const without = `without ${listNames(absent, MOST_VALUES)}`
  return present.length === 0 ? `a node ${without}` : `a node with ${listNames(present, MOST_VALUES)}, ${without}`
}

/** Formats how many nodes there are today, and the first names, if any has one. */
export function todayText({ nodes, nodeCount }: Nodes): string {
  if (nodeCount === 0) return 'no node is affected today'
  const who = nodes.length === 0 ? '' : `: ${nodesText({ nodes: [...nodes].sort(), nodeCount })}`
  return `${plural(nodeCount, 'node')} affected today${who}`
}
