import { type Shape, toShapes } from '../../../facts/inventory/index.ts'
import {
  debounced,
  type KnownNodes,
  knownShapeFinder,
  type NodeMemory,
  type NodeState,
  type ProjectedNode,
  stateOf,
} from './projected-node.ts'
import { retainedShapes } from './retain.ts'

/** How nodes become shapes; durations in milliseconds. */
export interface ProjectionSettings {
  /** Patterns of all label keys that are exported. */
  readonly labelKeys: readonly string[]
  readonly exact: boolean
  readonly counts: boolean
  readonly readyDebounce: number
  readonly retainShapes: number
}

/** The shapes of the nodes. */
export interface Projection {
  readonly shapes: readonly Shape[]
  readonly nodeCount: number
  /** When the same nodes next come to other shapes, in milliseconds since 1970. */
  readonly until?: number
  /**
   * Whether Git must be told when a kind of node became empty, or that it has nodes again, though nothing else changed.
   */
  readonly isOverdue: boolean
}

/**
 * The shapes of the nodes, relative to what Git has: amounts within 1 % stay as they are in Git, a node whose Ready
 * condition changed a moment ago keeps its state, and a kind of node is kept for a while after its last node.
 */
export function project(
  nodes: Iterable<ProjectedNode>,
  known: KnownNodes,
  { now, memory, settings }: { now: number; memory: NodeMemory; settings: ProjectionSettings },
): Projection {
  const { labelKeys, exact, counts, readyDebounce: debounce, retainShapes } = settings
  const knownStates = statesByNode(known)
  const findKnown = exact ? () => undefined : knownShapeFinder(known, labelKeys)
  const instants: number[] = []
  const matched: Shape[] = []
  const unmatched: Shape[] = []
  const names = new Set<string>()
  for (const present of nodes) {
    const { name } = present
    names.add(name)
    const { node, until } = debounced(present, knownStates.get(name) ?? memory.states.get(name), { now, debounce })
    if (until !== undefined) instants.push(until)
    if (counts) memory.states.set(name, stateOf(node))
    const shape = shapeFields(node)
    const match = findKnown(shape)
    if (match === undefined) unmatched.push(shape)
    else matched.push({ ...shape, capacity: match.capacity, allocatable: match.allocatable })
  }
  for (const name of memory.states.keys()) if (!names.has(name)) memory.states.delete(name)
  // unmatched nodes differ by 1 % or more from all that Git has, so they are merged with each other only
  const present = [...matched, ...toShapes(unmatched, { exact })]
  const retained = retainedShapes(known, present, { now, retainShapes, labelKeys, memory })
  if (retained.until !== undefined) instants.push(retained.until)
  return {
    shapes: toShapes([...present, ...retained.shapes], { exact: true }),
    nodeCount: names.size,
    until: instants.length === 0 ? undefined : Math.min(...instants),
    isOverdue: retained.isOverdue,
  }
}

function statesByNode({ shapes }: KnownNodes): Map<string, NodeState> {
  const states = new Map<string, NodeState>()
  for (const shape of shapes) {
    const state = stateOf(shape)
    for (const name of shape.nodes) states.set(name, state)
  }
  return states
}

/** The shape without the other fields of a projected node. */
function shapeFields({
  labels,
  taints,
  ready,
  unschedulable,
  osImage,
  capacity,
  allocatable,
  nodes,
  nodeCount,
  uids,
}: Shape): Shape {
  return { labels, taints, ready, unschedulable, osImage, capacity, allocatable, nodes, nodeCount, uids }
}
