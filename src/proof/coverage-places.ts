import { listNames, plural } from '../finding/index.ts'
import { type Fleet, type Nodes, namedNodes, nodesText, type Shape } from '../inventory/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { type NodeIdentity, Region, regionOfPod } from '../kube/index.ts'
import type { Constraints, Planned } from '../world/index.ts'
import { placeOf, unlessMalformed, unnamedShapes } from './place.ts'

/** A rendered object, the nodes its pods may be on, and whose it is. */
export interface Served {
  readonly by: Planned
  readonly object: KubernetesObject
  readonly region: Region
}

/**
 * A node that exists or may come, or the nodes of a shape that are only counted: they are alike but for their names.
 */
export type KnownNode = NodeIdentity & Pick<Shape, 'taints'> & Nodes

/** Every object that a subject renders, with its nodes. */
export function servedBy(planned: Planned): Served[] {
  return planned.objects.map(({ object }) => ({ by: planned, object, region: placeOf(object) ?? Region.nowhere }))
}

/**
 * Where a source's pods may be, before any policy; undefined where that cannot be read, which was said where it was
 * read.
 */
export function regionOfSource({ pod }: Constraints): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod))
}

/** Where the pods of a policy may be: its source's region, narrowed; undefined where that cannot be read. */
export function regionOfPolicy({ pod, nodeSelector, affinity }: Constraints): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod).and(regionOfPod({ nodeSelector, affinity })))
}

/** The nodes that exist, and those that have no name: of shapes that are only counted, and of types that may come. */
export function knownNodes(fleets: readonly Fleet[]): KnownNode[] {
  const known = fleets.flatMap(({ shapes }) =>
    shapes.flatMap(({ labels, taints, nodes }) =>
      nodes.map((name) => ({ name, labels, taints, ...namedNodes([name]) })),
    ),
  )
  const unnamed = unnamedShapes({ fleets }).map(({ labels, taints, nodes, nodeCount }) => {
    return { name: UNNAMED, labels, taints, nodes: [], nodeCount: nodeCount - nodes.length }
  })
  return [...known, ...unnamed]
}

/**
 * A name that no inventory gives a node, for those without. What tells nodes apart by name is refused where they are
 * only counted.
 */
export const UNNAMED = 'node-without-name'

/** A node as a sentence names it: by its name where it is one of today, else by what it is like. */
export function nodeText({ labels }: NodeIdentity, name?: string): string {
  if (name !== undefined) return `node ${name}`
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? 'a node without labels' : `a node with ${listNames(pairs, 5)}`
}

/** How many nodes there are today, and the first names, if any has one. */
export function todayText({ nodes, nodeCount }: Nodes): string {
  if (nodeCount === 0) return 'no node is affected today'
  const who = nodes.length === 0 ? '' : `: ${nodesText({ nodes: [...nodes].sort(), nodeCount })}`
  return `${plural(nodeCount, 'node')} affected today${who}`
}
