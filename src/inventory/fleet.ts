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

/** The shapes that have a label, by its key and then its value. */
type Labelled = ReadonlyMap<string, ReadonlyMap<string, readonly Shape[]>>

const known = new WeakMap<readonly Shape[], Labelled>()
const NONE: readonly Shape[] = []

/**
 * Of a list of shapes those that may match a nodeSelector, in order: all that have the one of its labels that fewest have. A list
 * is looked through once, however many ask. A selector that says nothing leaves the list as it is.
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

function indexOf(shapes: readonly Shape[]): Labelled {
  const index = new Map<string, Map<string, Shape[]>>()
  for (const shape of shapes)
    for (const [key, value] of Object.entries(shape.labels)) {
      const values = index.get(key) ?? new Map<string, Shape[]>()
      index.set(key, values)
      const own = values.get(value)
      if (own === undefined) values.set(value, [shape])
      else own.push(shape)
    }
  return index
}
