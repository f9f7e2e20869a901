import type { Shape } from '../../inventory/index.ts'
import { Quantity } from '../../kube/index.ts'
import { commonLabels, type Known } from './known.ts'

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
