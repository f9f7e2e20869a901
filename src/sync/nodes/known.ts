import { labelKeyMatcher, type Shape } from '../../inventory/index.ts'
import { type Labels, Quantity } from '../../kube/index.ts'
import type { NodeState } from './projected-node.ts'

/** What Git says of the nodes. */
export interface Known {
  readonly shapes: readonly Shape[]
  /** Which labels it has of them. */
  readonly labelKeys: readonly string[]
}

export const NOTHING_KNOWN: Known = { shapes: [], labelKeys: [] }

/** Only the labels that both of two exports have: by these, nodes of one can be told from those of the other. */
export function commonLabels(one: readonly string[], other: readonly string[]): (labels: Labels) => Labels {
  const [isInOne, isInOther] = [labelKeyMatcher(one), labelKeyMatcher(other)]
  return (labels) =>
    Object.fromEntries(
      Object.entries(labels)
        .filter(([key]) => isInOne(key) && isInOther(key))
        .sort(),
    )
}

/** What an evaluation remembers for the next one. All of it is a cache: a new one leads to the same commits, if later; a kind that came and went within a day may go up to that day sooner (`retain`). */
export interface NodeMemory {
  /** Since when a kind of node has none, where Git does not say so or says an earlier time, in milliseconds since 1970. */
  readonly emptySince: Map<string, number>
  /** Kinds that Git has as empty, or had, and of which there have been nodes since. */
  readonly returned: Set<string>
  /** As what each node counted last, where Git does not name nodes. */
  readonly states: Map<string, NodeState>
}

export function newNodeMemory(): NodeMemory {
  return { emptySince: new Map(), returned: new Set(), states: new Map() }
}

const HUNDRED = 100n

interface Candidate {
  readonly shape: Shape
  readonly amounts: readonly bigint[]
  readonly names: ReadonlySet<string>
}

/**
 * Gives a node the amounts that Git has of nodes like it, where each of its own is within 1 % of them: what the kubelet reserves
 * differs by a few Ki from node to node and from one start to the next. Undefined where Git has no such shape. The shape that names
 * the node comes first, then the nearest.
 */
export function amountsKnownBy(known: Known, labelKeys: readonly string[]): (node: Shape) => Shape | undefined {
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
    const key = keyOf(shape, common)
    const others = byKey.get(key)
    if (others === undefined) byKey.set(key, [candidate])
    else others.push(candidate)
  }
  return (node) => {
    const amounts = amountsOf(node, parse)
    const [name = ''] = node.nodes
    let best: { candidate: Candidate; distance: bigint } | undefined
    for (const candidate of byKey.get(keyOf(node, common)) ?? []) {
      const distance = distanceOf(amounts, candidate.amounts)
      if (distance === undefined) continue
      if (candidate.names.has(name)) return candidate.shape
      if (best === undefined || distance < best.distance) best = { candidate, distance }
    }
    return best?.candidate.shape
  }
}

function keyOf({ labels, capacity, allocatable }: Shape, common: ReturnType<typeof commonLabels>): string {
  return JSON.stringify([Object.entries(common(labels)), Object.keys(capacity).sort(), Object.keys(allocatable).sort()])
}

function amountsOf({ capacity, allocatable }: Shape, parse: (amount: string | number) => bigint): bigint[] {
  return [capacity, allocatable].flatMap((amounts) =>
    Object.keys(amounts)
      .sort()
      .map((name) => parse(amounts[name] ?? 0)),
  )
}

/** The largest difference, in millionths of what is known; undefined where one is 1 % or more. */
function distanceOf(amounts: readonly bigint[], known: readonly bigint[]): bigint | undefined {
  let largest = 0n
  for (const [index, amount] of amounts.entries()) {
    const wanted = known[index] ?? 0n
    const difference = amount < wanted ? wanted - amount : amount - wanted
    if (difference === 0n) continue
    if (difference * HUNDRED >= wanted) return undefined
    const distance = (difference * 1_000_000n) / wanted
    if (distance > largest) largest = distance
  }
  return largest
}
