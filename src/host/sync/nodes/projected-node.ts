import {
  DEFAULT_LABEL_KEYS,
  labelKeyMatcher,
  type NodeDetails,
  nodeDetails,
  nodeProblem,
  type Shape,
  shapeOfNode,
} from '../../../facts/inventory/index.ts'
import { type Labels, type Node, Quantity, type Taint } from '../../../kube/index.ts'
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

/** The nodes that Git has. */
export interface KnownNodes {
  readonly shapes: readonly Shape[]
  /** Patterns of the label keys that were exported. */
  readonly labelKeys: readonly string[]
}

export const NO_KNOWN_NODES: KnownNodes = { shapes: [], labelKeys: [] }

/**
 * What an evaluation leaves to the next one. All of it is a cache: without it the same commits are made, if later, and
 * a kind of node that came and went within a day may be dropped up to a day sooner (`retainShapes`).
 */
export interface NodeMemory {
  /** When the last node of a kind went, in milliseconds since 1970, where Git has no time or an earlier one. */
  readonly emptySince: Map<string, number>
  /** Kinds that Git has, or had, without a node, and that have had nodes since. */
  readonly returned: Set<string>
  /** The state that each node last counted with, where Git has no names of nodes. */
  readonly states: Map<string, NodeState>
}

export function newNodeMemory(): NodeMemory {
  return { emptySince: new Map(), returned: new Set(), states: new Map() }
}

/**
 * Keeps the labels that both of two exports have: by these, nodes of one export can be matched with those of the other.
 */
export function commonLabels(left: readonly string[], right: readonly string[]): (labels: Labels) => Labels {
  const [isInLeft, isInRight] = [labelKeyMatcher(left), labelKeyMatcher(right)]
  return (labels) =>
    Object.fromEntries(
      Object.entries(labels)
        .filter(([key]) => isInLeft(key) && isInRight(key))
        .sort(),
    )
}

interface Candidate {
  readonly shape: Shape
  readonly amounts: readonly bigint[]
  readonly names: ReadonlySet<string>
}

/**
 * Finds the known shape whose amounts a node keeps: that of equal labels where each of the node's amounts is within 1 %
 * of it, since what the kubelet reserves differs by a few Ki between nodes and between starts. The shape that names the
 * node comes first, then the nearest; undefined where there is none.
 */
export function knownShapeFinder(known: KnownNodes, labelKeys: readonly string[]): (node: Shape) => Shape | undefined {
  const common = commonLabels(known.labelKeys, labelKeys)
  const parsed = new Map<string | number, bigint>()
  const parse = (amount: string | number) => {
    const value = parsed.get(amount) ?? Quantity.parse(amount).nanoValue()
    parsed.set(amount, value)
    return value
  }
  const byKey = new Map<string, Candidate[]>()
  for (const shape of known.shapes) {
    const candidate = { shape, amounts: amountsOf(shape, parse), names: new Set(shape.nodes) }
    const key = shapeKey(shape, common)
    const others = byKey.get(key)
    if (others === undefined) byKey.set(key, [candidate])
    else others.push(candidate)
  }
  return (node) => {
    const amounts = amountsOf(node, parse)
    const [name = ''] = node.nodes
    let best: { candidate: Candidate; distance: bigint } | undefined
    for (const candidate of byKey.get(shapeKey(node, common)) ?? []) {
      const distance = distanceBetween(amounts, candidate.amounts)
      if (distance === undefined) continue
      if (candidate.names.has(name)) return candidate.shape
      if (best === undefined || distance < best.distance) best = { candidate, distance }
    }
    return best?.candidate.shape
  }
}

function shapeKey({ labels, capacity, allocatable }: Shape, common: ReturnType<typeof commonLabels>): string {
  return JSON.stringify([Object.entries(common(labels)), Object.keys(capacity).sort(), Object.keys(allocatable).sort()])
}

function amountsOf({ capacity, allocatable }: Shape, parse: (amount: string | number) => bigint): bigint[] {
  return [capacity, allocatable].flatMap((amounts) =>
    Object.keys(amounts)
      .sort()
      .map((name) => parse(amounts[name] ?? 0)),
  )
}

/** The largest relative difference, in millionths of the known amount; undefined where one is 1 % or more. */
function distanceBetween(amounts: readonly bigint[], known: readonly bigint[]): bigint | undefined {
  let largest = 0n
  for (const [index, amount] of amounts.entries()) {
    const knownAmount = known[index] ?? 0n
    const difference = amount < knownAmount ? knownAmount - amount : amount - knownAmount
    if (difference === 0n) continue
    if (difference * 100n >= knownAmount) return undefined
    const distance = (difference * 1_000_000n) / knownAmount
    if (distance > largest) largest = distance
  }
  return largest
}
