import type { Planned, Rendered } from '../../core/index.ts'
import { lastingTaint, podSpecOf } from '../../core/object/index.ts'
import { type Fleet, isCounted, isDeclared, type Nodes, namedNodes, type Shape } from '../../facts/inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { daemonTolerations } from '../../kube/index.ts'
import { isServed } from '../place.ts'

/** Nodes of one shape on which a DaemonSet starts pods; no nodes for a type that may come. */
export interface Lot extends Nodes {
  readonly shape: Shape
}

/**
 * Looks up where DaemonSets start pods: on existing nodes, or, where a DaemonSet has none, on node types that may come.
 */
export function lotsIn(fleets: readonly Fleet[]): (planned: Planned, rendered: Rendered) => Lot[] {
  const lookups = new Map(fleets.map((fleet) => [fleet, shapesByNode(fleet)]))
  const unnamedIn = new Map(fleets.map((fleet) => [fleet, fleet.shapes.filter(({ nodes }) => nodes.length === 0)]))
  return ({ cluster }, { object, nodes }) => {
    const own = fleets.filter((fleet) => fleet.cluster === cluster)
    const places = own.length > 0 ? own : fleets
    const byShape = new Map<Shape, string[]>()
    for (const node of nodes)
      for (const fleet of places) {
        const shape = lookups.get(fleet)?.get(node)
        if (shape === undefined) continue
        const known = byShape.get(shape)
        if (known === undefined) byShape.set(shape, [node])
        else known.push(node)
      }
    const unnamed = places.flatMap((fleet) => unnamedIn.get(fleet) ?? []).filter((shape) => isServed(shape, object))
    const lots = [
      ...[...byShape].map(([shape, names]) => ({ shape, ...namedNodes(names.sort()) })),
      ...unnamed.filter(isCounted).map(lotOf),
    ]
    return (lots.length > 0 ? lots : unnamed.filter(isDeclared).map(lotOf)).filter(({ shape }) =>
      mayStart(object, shape),
    )
  }
}

function lotOf(shape: Shape): Lot {
  return { shape, nodes: [], nodeCount: shape.nodeCount }
}

function shapesByNode({ shapes }: Fleet): Map<string, Shape> {
  return new Map(shapes.flatMap((shape) => shape.nodes.map((node) => [node, shape] as const)))
}

/** Whether a new pod may start there; taints of a temporary node state do not count. */
function mayStart(object: KubernetesObject, shape: Shape): boolean {
  const { tolerations, hostNetwork } = podSpecOf(object)
  const all = daemonTolerations({ tolerations: tolerations ?? [], hostNetwork })
  return lastingTaint(shape, all, 'NoExecute') === undefined && lastingTaint(shape, all, 'NoSchedule') === undefined
}
