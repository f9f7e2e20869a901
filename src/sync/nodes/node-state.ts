import type { Shape } from '../../inventory/index.ts'
import type { Taint } from '../../kube/index.ts'
import { taintSortKey } from '../../kube/taint.ts'
import type { ProjectedNode } from './projected-node.ts'

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
