import {
  DEFAULT_LABEL_KEYS,
  labelKeyMatcher,
  type NodeDetails,
  nodeDetails,
  nodeProblem,
  type Shape,
  shapeOfNode,
} from '../../../facts/inventory/index.ts'
import { type Node, Quantity, type Taint } from '../../../kube/index.ts'
import { taintSortKey } from '../../../kube/taint.ts'

/** The cached part of a Node: what policies can see of it, without heartbeats and images. */
export interface ProjectedNode extends Shape {
  readonly name: string
  readonly uid: string
  /** The lastTransitionTime of its Ready condition, in milliseconds since 1970; undefined where it has none. */
  readonly readySince?: number
  /** In milliseconds since 1970. */
  readonly createdAt?: number
  /** What pools need of it, where they are collected. */
  readonly details?: NodeDetails
}

/** The default label keys of an inventory and these, sorted, without duplicates. */
export function labelKeysWith(labels: readonly string[]): string[] {
  return [...new Set([...DEFAULT_LABEL_KEYS, ...labels])].sort()
}

/** The longest text of a node's status that is kept; the API server has no limit, and names end at 253. */
const MAX_TEXT = 253

/**
 * Makes the function that trims a Node of the API server; with `hasDetails` it keeps what pools need of it. It throws
 * an error with a sentence for a malformed Node.
 */
export function trimNode(labelKeys: readonly string[], hasDetails = false): (object: unknown) => ProjectedNode {
  const isExported = labelKeyMatcher(labelKeys)
  return (object) => {
    const node = object as Node
    const problem = nodeProblem(node)
    if (problem !== undefined) throw new Error(`Node ${node.metadata.name}: ${problem}`)
    const { labels, uids, ...shape } = shapeOfNode(node)
    for (const amount of [shape.capacity, shape.allocatable].flatMap((amounts) => Object.values(amounts)))
      Quantity.parse(amount)
    const { name, uid, creationTimestamp } = node.metadata as Node['metadata'] & { creationTimestamp?: unknown }
    return {
      ...shape,
      osImage: shape.osImage.slice(0, MAX_TEXT),
      ...(shape.ready === undefined ? {} : { ready: shape.ready.slice(0, MAX_TEXT) }),
      labels: Object.fromEntries(
        Object.entries(labels)
          .filter(([key]) => isExported(key))
          .sort(),
      ),
      ...(uids === undefined ? {} : { uids }),
      name,
      uid: typeof uid === 'string' ? uid : '',
      readySince: parseTime(readyCondition(node)?.lastTransitionTime),
      createdAt: parseTime(creationTimestamp),
      ...(hasDetails ? { details: nodeDetails(node) } : {}),
    }
  }
}

function readyCondition({ status }: Node): { lastTransitionTime?: unknown } | undefined {
  const { conditions } = (status ?? {}) as { conditions?: Array<{ type?: string; lastTransitionTime?: unknown }> }
  return conditions?.find(({ type }) => type === 'Ready')
}

function parseTime(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** Whether a node is Ready, and the taints that the node controller sets while it is not. */
export interface NodeState {
  readonly ready?: string
  readonly taints: readonly Taint[]
}

const READY_TAINTS: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])
/** Taints that Kubernetes sets for conditions of a node, and for a cordon. */
const CONDITION_TAINTS = /^node\.kubernetes\.io\//

/** The state of a shape's nodes. */
export function stateOf({ ready, taints }: Pick<Shape, 'ready' | 'taints'>): NodeState {
  return { ready, taints: taints.filter(({ key }) => READY_TAINTS.has(key)) }
}

/** The taints that belong to the kind of node: the next node of it will have them too. */
export function kindTaints({ taints }: Pick<Shape, 'taints'>): Taint[] {
  return taints.filter(({ key }) => !CONDITION_TAINTS.test(key))
}

/**
 * The node with the state that it counts with: a changed state counts once it has lasted for `debounce` milliseconds,
 * until then the state before does. `until` is when the new state will count, where it does not yet.
 */
export function debounced(
  node: ProjectedNode,
  before: NodeState | undefined,
  { now, debounce }: { now: number; debounce: number },
): { readonly node: Shape; readonly until?: number } {
  const { readySince } = node
  const due = readySince === undefined ? now : readySince + debounce
  if (before === undefined || due <= now || isSameState(before, stateOf(node))) return { node }
  const others = node.taints.filter(({ key }) => !READY_TAINTS.has(key))
  return { node: { ...node, ready: before.ready, taints: [...others, ...before.taints] }, until: due }
}

function isSameState(left: NodeState, right: NodeState): boolean {
  const taintsText = ({ taints }: NodeState) => taints.map(taintSortKey).sort().join(' ')
  return left.ready === right.ready && taintsText(left) === taintsText(right)
}
