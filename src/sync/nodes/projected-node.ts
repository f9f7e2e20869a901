import { DEFAULT_LABEL_KEYS, labelKeyMatcher, nodeProblem, type Shape, shapeOfNode } from '../../inventory/index.ts'
import { type Node, Quantity, type Taint } from '../../kube/index.ts'
import { taintSortKey } from '../../kube/taint.ts'

/** All that is kept of a Node: what policies can see of it, and since when it is so. Heartbeats and images are no part of it. */
export interface ProjectedNode extends Shape {
  readonly name: string
  readonly uid: string
  /** When its Ready condition changed last, in milliseconds since 1970; undefined where it does not say. */
  readonly readySince?: number
  /** When the Node was made, in milliseconds since 1970. */
  readonly createdAt?: number
}

/** The label keys that an inventory carries, with those that somebody asks for besides; in order, each once. */
export function labelKeysWith(labels: readonly string[]): string[] {
  return [...new Set([...DEFAULT_LABEL_KEYS, ...labels])].sort()
}

/** Keeps of a Node, as the API server gives it, what is exported. Throws an error that says what is wrong with it where it cannot be read. */
export function trimNode(labelKeys: readonly string[]): (object: unknown) => ProjectedNode {
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
      labels: Object.fromEntries(
        Object.entries(labels)
          .filter(([key]) => isExported(key))
          .sort(),
      ),
      ...(uids === undefined ? {} : { uids }),
      name,
      uid: typeof uid === 'string' ? uid : '',
      readySince: instantOf(readyCondition(node)?.lastTransitionTime),
      createdAt: instantOf(creationTimestamp),
    }
  }
}

function readyCondition({ status }: Node): { lastTransitionTime?: unknown } | undefined {
  const { conditions } = (status ?? {}) as { conditions?: Array<{ type?: string; lastTransitionTime?: unknown }> }
  return conditions?.find(({ type }) => type === 'Ready')
}

function instantOf(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** Whether a node is ready, and the taints that say the same: the node controller sets them when it is not. */
export interface NodeState {
  readonly ready?: string
  readonly taints: readonly Taint[]
}

const READY_TAINTS: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])
/** Taints by which Kubernetes itself says how a node does, or that it is cordoned. */
const CONDITION_TAINTS = /^node\.kubernetes\.io\//

/** Of what a shape says of its nodes that by which they are ready or not. */
export function stateOf({ ready, taints }: Pick<Shape, 'ready' | 'taints'>): NodeState {
  return { ready, taints: taints.filter(({ key }) => READY_TAINTS.has(key)) }
}

/** Taints that somebody gave the nodes, and that the next node of the kind will have as well. */
export function ownTaints({ taints }: Pick<Shape, 'taints'>): Taint[] {
  return taints.filter(({ key }) => !CONDITION_TAINTS.test(key))
}

/**
 * A node as it counts: one that was ready before, or was not, counts as it did until the other has lasted for `debounce`
 * milliseconds. `until` is when it will, where it does not yet.
 */
export function settled(
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
  return left.ready === right.ready && taintsText(left) === taintsText(right)
}

function taintsText({ taints }: NodeState): string {
  return taints.map(taintSortKey).sort().join(' ')
}
