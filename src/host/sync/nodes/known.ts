import { labelKeyMatcher, type Shape } from '../../../facts/inventory/index.ts'
import { type Labels, Quantity } from '../../../kube/index.ts'
import type { NodeState } from './projected-node.ts'

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
