import { listNames, plural } from '../../krm/finding.ts'
import type { Labels, ResourceQuantities, Taint } from '../../kube/index.ts'

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

/** How many lists one call takes as arguments; more may overflow the stack. */
const MOST_ARGUMENTS = 1000
/** How many names a message shows. */
const SHOWN_NAMES = 3

/** A set of nodes: its size, and the names of those that an inventory names. The others have no names. */
export interface Nodes {
  readonly nodes: readonly string[]
  /** At least the number of names. */
  readonly nodeCount: number
  /** The first names, as many as a message shows, if the full list is built only on demand. */
  readonly first?: readonly string[]
}

/** Returns nodes that all have names. */
export function namedNodes(nodes: readonly string[]): Nodes {
  return { nodes, nodeCount: nodes.length }
}

/** Merges disjoint sets of nodes into one. */
export function mergeNodes(lots: readonly Nodes[]): Nodes {
  const [only, another] = lots
  if (only !== undefined && another === undefined) return { nodes: only.nodes, nodeCount: only.nodeCount }
  return { nodes: concatLists(lots.map(({ nodes }) => nodes)), nodeCount: nodeCountOf(lots) }
}

/** Concatenates lists. `concat` copies each list as a whole, several times faster than `flat` or a loop over names. */
function concatLists(lists: ReadonlyArray<readonly string[]>): readonly string[] {
  if (lists.length <= MOST_ARGUMENTS) return ([] as string[]).concat(...lists)
  const parts: Array<readonly string[]> = []
  for (let at = 0; at < lists.length; at += MOST_ARGUMENTS)
    parts.push(concatLists(lists.slice(at, at + MOST_ARGUMENTS)))
  return concatLists(parts)
}

/**
 * Returns the nodes of a sorted list that are not in `gone`. Many callers share a long list, so only its first names
 * are read until somebody asks for all.
 */
export function nodesExcept(
  sorted: readonly string[],
  gone: ReadonlySet<string>,
  nodeCount = sorted.length - gone.size,
): Nodes {
  const isLeft = (name: string) => !gone.has(name)
  return {
    first: sorted
      .slice(0, gone.size + SHOWN_NAMES)
      .filter(isLeft)
      .slice(0, SHOWN_NAMES),
    nodeCount,
    get nodes() {
      return sorted.filter(isLeft)
    },
  }
}

/** Merges disjoint sets of nodes, sorted by name; the full list is built on demand. */
export function sortedNodes(lots: readonly Nodes[]): Nodes {
  return {
    first: lots.flatMap(firstNames).sort().slice(0, SHOWN_NAMES),
    nodeCount: nodeCountOf(lots),
    get nodes() {
      return [...mergeNodes(lots).nodes].sort()
    },
  }
}

/** Returns the total size of disjoint sets of nodes. */
export function nodeCountOf(lots: readonly Nodes[]): number {
  return lots.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
}

/** Formats nodes for a message: the first names and how many more, or only the count if none is named. */
export function nodesText(lot: Nodes): string {
  const first = firstNames(lot)
  return first.length === 0 ? plural(lot.nodeCount, 'node') : listNames(first, SHOWN_NAMES, lot.nodeCount)
}

/** Returns the first names of sorted nodes, as many as a message shows. */
export function firstNames(lot: Nodes): readonly string[] {
  return lot.first ?? lot.nodes.slice(0, SHOWN_NAMES)
}
