import { type Shape, shapesThatMayMatch } from '../../inventory/index.ts'
import { isDns1123Subdomain, type PodSpec } from '../../kube/index.ts'
import { indexBy, memoOf, once } from '../../world/index.ts'
import { elsewhere, type Ineligible, stateOf } from './eligibility.ts'

/** A node of a fleet. */
export interface FleetNode {
  readonly name: string
  readonly shape: Shape
  /** Why no Order gets it, if its state is not good. */
  readonly state?: Ineligible
}

/**
 * The nodes of a fleet, read once for all Orders: what is said of many of them must not be worked out for each Order.
 */
export interface FleetNodes {
  /** Names that Kubernetes does not allow. */
  readonly badNames: readonly string[]
  /** By what is wrong with their state. */
  readonly byState: ReadonlyMap<string, { readonly state?: Ineligible; readonly names: readonly string[] }>
  /**
   * In the order of their names those among which every eligible node of a pod is, and why the others are not, if their
   * state is good.
   */
  near(pod: PodSpec): { readonly nodes: readonly FleetNode[]; readonly others?: Ineligible }
}

/** What nodes of one state have in common. */
export function stateKey({ state }: FleetNode): string {
  return state?.reason ?? ''
}

/** The nodes of these shapes. */
export const nodesOf = memoOf((shapes: readonly Shape[]): FleetNodes => {
  const all: FleetNode[] = shapes
    .flatMap((shape) => {
      const state = stateOf(shape)
      return shape.nodes.map((name) => ({ name, shape, state }))
    })
    .sort(byName)
  const ofName = once(() => indexBy(all, ({ name }) => name))
  const ofShape = once(() => indexBy(all, ({ shape }) => shape))
  const states = [...indexBy(all, stateKey)]
  return {
    badNames: all.map(({ name }) => name).filter((name) => !isDns1123Subdomain(name)),
    byState: new Map(
      states.map(([key, nodes]) => [key, { state: nodes[0]?.state, names: nodes.map(({ name }) => name) }]),
    ),
    near: (pod) => {
      const others = elsewhere(pod)
      if (pod.nodeName) return { nodes: ofName().get(pod.nodeName) ?? [], others }
      const few = shapesThatMayMatch(shapes, pod.nodeSelector ?? {})
      if (few === shapes) return { nodes: all, others }
      return { nodes: few.flatMap((shape) => ofShape().get(shape) ?? []).sort(byName), others }
    },
  }
})

function byName(left: FleetNode, right: FleetNode): number {
  return left.name < right.name ? -1 : 1
}
