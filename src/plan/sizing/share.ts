import { decimal, type PercentageName, type Resource, timesRoundedDown } from '../../kinds/index.ts'
import { Quantity } from '../../kube/index.ts'
import { type Amount, type Budget, printAmount, printMemory, roundMemory } from './size.ts'

/** A container to size, and its share of the pod's budget in percent. */
export interface Share {
  readonly container: string
  readonly percent: number
}

/** The size of a container: exact amounts, which variables derive from, and the quantities as text. */
export interface ContainerSize {
  readonly container: string
  readonly amounts: ReadonlyMap<PercentageName, bigint>
  readonly printed: ReadonlyMap<PercentageName, string>
  /** The limits that rounding would make smaller than their requests; they are raised to the requests. */
  readonly raised: readonly PercentageName[]
  /** The amounts that are the template's own. */
  readonly kept?: ReadonlySet<PercentageName>
}

export const RESOURCE: Record<PercentageName, Resource> = {
  requestCPU: 'cpu',
  limitCPU: 'cpu',
  requestMemory: 'memory',
  limitMemory: 'memory',
}
const PAIRS: ReadonlyArray<[request: PercentageName, limit: PercentageName]> = [
  ['requestCPU', 'limitCPU'],
  ['requestMemory', 'limitMemory'],
]
const HUNDRED = 100n

/**
 * Splits a budget by share. The last container gets what rounding leaves, so the parts add up to the budget. Memory is
 * rounded to whole Mi unless the pod would then be below its minimum or off its step.
 */
export function splitBudget({ amounts }: Budget, shares: readonly Share[]): ContainerSize[] {
  const sizes = shares.map(({ container }) => ({
    container,
    amounts: new Map<PercentageName, bigint>(),
    printed: new Map<PercentageName, string>(),
  }))
  for (const [name, amount] of amounts) {
    const parts = splitAmount(amount.amount, shares)
    const printed = printParts(RESOURCE[name], amount, parts)
    for (const [index, size] of sizes.entries()) {
      size.amounts.set(name, parts[index] ?? 0n)
      size.printed.set(name, printed[index] ?? '0')
    }
  }
  return sizes.map((size) => ({ ...size, raised: raiseLimits(size) }))
}

function splitAmount(amount: bigint, shares: readonly Share[]): bigint[] {
  return withRest(
    amount,
    shares.map(({ percent }) => timesRoundedDown(amount, decimal(percent), HUNDRED)),
  )
}

/** Parts of a bound or step stay exact, so that they add up to it; other memory is rounded to whole Mi. */
function printParts(resource: Resource, amount: Amount, parts: readonly bigint[]): string[] {
  if (parts.length === 1) return [printAmount(resource, amount)]
  const { bound, step, min } = amount
  if (resource === 'cpu') return parts.map((part) => printAmount('cpu', { amount: part, min }))
  const rounded = parts.map(roundMemory)
  if (bound === undefined && step !== undefined) return withRest(amount.amount, rounded).map(printMemory)
  const isExact = bound !== undefined || sum(rounded) < min.value()
  return (isExact ? parts : rounded).map(printMemory)
}

/** The parts, the last one increased so that they add up to the whole. */
function withRest(whole: bigint, parts: readonly bigint[]): bigint[] {
  const rest = whole - sum(parts)
  return parts.map((part, index) => (index === parts.length - 1 ? part + rest : part))
}

/** Raises limits below their requests, in the printed and the exact amounts. Gives the limits that it raised. */
export function raiseLimits({
  printed,
  amounts,
}: {
  printed: Map<PercentageName, string>
  amounts: Map<PercentageName, bigint>
}): PercentageName[] {
  const raised: PercentageName[] = []
  for (const [request, limit] of PAIRS) {
    const wanted = printed.get(request)
    const given = printed.get(limit)
    if (wanted === undefined || given === undefined || !isBelow(given, wanted)) continue
    printed.set(limit, wanted)
    const least = amounts.get(request) ?? 0n
    if ((amounts.get(limit) ?? 0n) < least) amounts.set(limit, least)
    raised.push(limit)
  }
  return raised
}

function sum(parts: readonly bigint[]): bigint {
  return parts.reduce((total, part) => total + part, 0n)
}

function isBelow(left: string, right: string): boolean {
  return Quantity.parse(left).compare(Quantity.parse(right)) < 0
}
