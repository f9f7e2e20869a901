import type { Labels, ResourceQuantities, Taint } from '../kube/index.ts'
import type { Nodes } from './nodes.ts'

/** Nodes alike in all that a policy can see, by name or only counted. A shape without nodes declares a node type that may come. */
export interface Shape extends Nodes {
  readonly labels: Labels
  readonly taints: readonly Taint[]
  /** Status of the Ready condition; undefined where the node has none. */
  readonly ready?: string
  readonly unschedulable: boolean
  readonly osImage: string
  readonly capacity: ResourceQuantities
  readonly allocatable: ResourceQuantities
  readonly uids?: Readonly<Record<string, string>>
  /** Since when a shape that a writer keeps has no nodes, RFC 3339; only nodefit sync reads it. */
  readonly emptySince?: string
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

/** Whether the shape declares a type of which there is no node. */
export function isDeclared({ nodeCount }: Pick<Shape, 'nodeCount'>): boolean {
  return nodeCount === 0
}

/** Whether the shape has nodes that are counted and not named. */
export function isCounted({ nodes, nodeCount }: Pick<Shape, 'nodes' | 'nodeCount'>): boolean {
  return nodes.length < nodeCount
}

/** What a sentence calls a shape: its labels, since it has no name. */
export function shapeText({ labels }: Pick<Shape, 'labels'>): string {
  const text = Object.entries(labels)
    .sort()
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  return text === '' ? 'shape without labels' : `shape ${text}`
}
