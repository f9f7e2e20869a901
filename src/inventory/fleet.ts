import type { Labels, ResourceQuantities, Taint } from '../kube/index.ts'

/** Nodes alike in all that a policy can see. A shape without nodes declares a node type that may come. */
export interface Shape {
  readonly labels: Labels
  readonly taints: readonly Taint[]
  /** Status of the Ready condition; undefined where the node has none. */
  readonly ready?: string
  readonly unschedulable: boolean
  readonly osImage: string
  readonly capacity: ResourceQuantities
  readonly allocatable: ResourceQuantities
  readonly nodes: readonly string[]
  readonly uids?: Readonly<Record<string, string>>
}

/** The nodes of one cluster, and which of their labels are known. */
export interface Fleet {
  /** Empty where the source does not say, as with Node objects. */
  readonly cluster: string
  readonly observedAt?: string
  readonly shapes: readonly Shape[]
  /** Whether an absent label of this key means that the nodes do not have it. */
  knows(labelKey: string): boolean
}

/** How many nodes there are; declared shapes have none. */
export function nodeCount(shapes: readonly Shape[]): number {
  return shapes.reduce((count, { nodes }) => count + nodes.length, 0)
}
