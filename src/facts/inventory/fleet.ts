import type { Labels, ResourceQuantities, Taint } from '../../kube/index.ts'
import type { Nodes } from './nodes.ts'

/**
 * Nodes that are equal in everything a policy can see, named or only counted. A shape without nodes declares a node
 * type that may come.
 */
export interface Shape extends Nodes {
  readonly labels: Labels
  readonly taints: readonly Taint[]
  /** Status of the Ready condition; undefined if the node has none. */
  readonly ready?: string
  readonly unschedulable: boolean
  readonly osImage: string
  readonly capacity: ResourceQuantities
  readonly allocatable: ResourceQuantities
  readonly uids?: Readonly<Record<string, string>>
  /** When the shape lost its last node, RFC 3339, if a writer keeps the empty shape; only nodefit sync reads it. */
  readonly emptySince?: string
}

/** The nodes of one cluster, and which of their labels were exported. */
export interface Fleet {
  /** Empty if the source does not name it, as with Node objects. */
  readonly cluster: string
  /** The uid of the cluster's Namespace kube-system; undefined if no source has it. */
  readonly clusterUid?: string
  readonly observedAt?: string
  readonly shapes: readonly Shape[]
  /** Whether the label key was exported, so that a missing label means that the node does not have it. */
  knows(labelKey: string): boolean
}

/** Whether the shape declares a node type without any node. */
export function isDeclared({ nodeCount }: Pick<Shape, 'nodeCount'>): boolean {
  return nodeCount === 0
}

/** Whether the shape has nodes that are counted but not named. */
export function isCounted({ nodes, nodeCount }: Pick<Shape, 'nodes' | 'nodeCount'>): boolean {
  return nodes.length < nodeCount
}

/** Formats a shape for a message: by its labels, since it has no name. */
export function shapeText({ labels }: Pick<Shape, 'labels'>): string {
  const text = Object.entries(labels)
    .sort()
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  return text === '' ? 'shape without labels' : `shape ${text}`
}

/** Shapes by label key and value. */
type LabelIndex = ReadonlyMap<string, ReadonlyMap<string, readonly Shape[]>>

const known = new WeakMap<readonly Shape[], LabelIndex>()
const NONE: readonly Shape[] = []

/**
 * Returns, in order, the shapes that may match a nodeSelector: all with the label of it that the fewest shapes have.
 * The index of a list is built once, however many callers ask. An empty selector returns the whole list.
 */
export function shapesThatMayMatch(
  shapes: readonly Shape[],
  nodeSelector: Readonly<Record<string, unknown>>,
): readonly Shape[] {
  const pairs = Object.entries(nodeSelector)
  if (pairs.length === 0) return shapes
  const index = known.get(shapes) ?? indexOf(shapes)
  known.set(shapes, index)
  return pairs
    .map(([key, value]) => index.get(key)?.get(value as string) ?? NONE)
    .reduce((few, own) => (own.length < few.length ? own : few))
}

function indexOf(shapes: readonly Shape[]): LabelIndex {
  const index = new Map<string, Map<string, Shape[]>>()
  for (const shape of shapes)
    for (const [key, value] of Object.entries(shape.labels)) {
      const values = index.get(key) ?? new Map<string, Shape[]>()
      index.set(key, values)
      const sameValue = values.get(value)
      if (sameValue === undefined) values.set(value, [shape])
      else sameValue.push(shape)
    }
  return index
}
