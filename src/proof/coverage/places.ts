import type { Fleet, Shape } from '../../inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type NodeIdentity, Region, regionOfPod } from '../../kube/index.ts'
import type { MayRun, Planned } from '../../world/index.ts'
import { placeOf, unlessMalformed } from '../place.ts'

/** A rendered object, the nodes its pods may be on, and whose it is. */
export interface Served {
  readonly by: Planned
  readonly object: KubernetesObject
  readonly region: Region
}

/** A node that exists or may come. */
export type KnownNode = NodeIdentity & Pick<Shape, 'taints'>

/** Every object that a subject renders, with its nodes. */
export function servedBy(planned: Planned): Served[] {
  return planned.objects.map(({ object }) => ({ by: planned, object, region: placeOf(object) ?? Region.nowhere }))
}

/** Where a source's pods may be, before any policy; undefined where that cannot be read, which was said where it was read. */
export function regionOfSource({ pod }: MayRun): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod))
}

/** Where the pods of a policy may be: its source's region, narrowed; undefined where that cannot be read. */
export function regionOfPolicy({ pod, nodeSelector, affinity }: MayRun): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod).and(regionOfPod({ nodeSelector, affinity })))
}

/** The nodes that exist, and those of types that may come, which have no name. */
export function knownNodes(fleets: readonly Fleet[]): KnownNode[] {
  return fleets.flatMap(({ shapes }) =>
    shapes.flatMap(({ labels, taints, nodes }) =>
      (nodes.length > 0 ? nodes : [UNNAMED]).map((name) => ({ name, labels, taints })),
    ),
  )
}

/** A name that no inventory gives a node, for a node type that is only declared. */
export const UNNAMED = 'node-to-come'
