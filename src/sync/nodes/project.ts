import { type Shape, toShapes } from '../../inventory/index.ts'
import { amountsKnownBy, type Known, type NodeMemory } from './known.ts'
import { type NodeState, type ProjectedNode, settled, stateOf } from './projected-node.ts'
import { retain } from './retain.ts'

/** What decides how nodes become shapes; times in milliseconds. */
export interface ProjectionSettings {
  /** Every label key that is exported. */
  readonly labelKeys: readonly string[]
  readonly exact: boolean
  readonly counts: boolean
  readonly readyDebounce: number
  readonly retainShapes: number
}

/** The shapes of the nodes, and when they will be others by themselves. */
export interface Projection {
  readonly shapes: readonly Shape[]
  /** How many nodes there are. */
  readonly nodeCount: number
  /** The next instant at which the same nodes come to other shapes, in milliseconds since 1970. */
  readonly until?: number
  /** Whether Git has to be told since when a kind has no nodes, though nothing else changed. */
  readonly isOverdue: boolean
}

/**
 * The nodes as shapes, by what Git says of them: amounts that hardly differ stay as they are, a node that was ready until a moment ago
 * still is, and a kind of node stays for a time after its last node.
 */
export function project(
  nodes: Iterable<ProjectedNode>,
  known: Known,
  { now, memory, settings }: { now: number; memory: NodeMemory; settings: ProjectionSettings },
): Projection {
  const { labelKeys, exact, counts, readyDebounce: debounce, retainShapes } = settings
  const before = statesBy(known)
  const amountsOf = exact ? () => undefined : amountsKnownBy(known, labelKeys)
  const instants: number[] = []
  const alike: Shape[] = []
  const others: Shape[] = []
  const names = new Set<string>()
  for (const one of nodes) {
    names.add(one.name)
    const { node, until } = settled(one, before.get(one.name) ?? memory.states.get(one.name), { now, debounce })
    if (until !== undefined) instants.push(until)
    if (counts) memory.states.set(one.name, stateOf(node))
    const shape = shapeOf(node)
    const same = amountsOf(shape)
    if (same === undefined) others.push(shape)
    else alike.push({ ...shape, capacity: same.capacity, allocatable: same.allocatable })
  }
  for (const name of memory.states.keys()) if (!names.has(name)) memory.states.delete(name)
  // what Git has no amounts of is joined among itself: it is 1 % or more from all that Git has
  const present = [...alike, ...toShapes(others, { exact })]
  const kept = retain(known, present, { now, retainShapes, labelKeys, memory })
  if (kept.until !== undefined) instants.push(kept.until)
  return {
    shapes: toShapes([...present, ...kept.shapes], { exact: true }),
    nodeCount: names.size,
    until: instants.length === 0 ? undefined : Math.min(...instants),
    isOverdue: kept.isOverdue,
  }
}

function statesBy({ shapes }: Known): Map<string, NodeState> {
  const states = new Map<string, NodeState>()
  for (const shape of shapes) {
    const state = stateOf(shape)
    for (const name of shape.nodes) states.set(name, state)
  }
  return states
}

/** A node without what only the watch needs. */
function shapeOf({
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
