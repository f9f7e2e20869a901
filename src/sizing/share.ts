import { Quantity } from '../kube/index.ts'
import { decimal, type PercentageName, type Resource, type Rule, timesRoundedDown } from '../policy/index.ts'
import { type Amount, printAmount, printMemory, roundMemory } from './amount.ts'
import type { Budget } from './size.ts'

/** A container that is sized, and its part of the pod's budget in percent. */
export interface Share {
  readonly container: string
  readonly percent: number
}

/** What a container gets: exact amounts for what is derived from them, and the texts that are written. */
export interface ContainerSize {
  readonly container: string
  readonly amounts: ReadonlyMap<PercentageName, bigint>
  readonly printed: ReadonlyMap<PercentageName, string>
  /** Whether rounding had brought a limit below its request, so that it was raised to it. */
  readonly limitRaised: boolean
}

const RESOURCE: Record<PercentageName, Resource> = {
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
 * Splits a budget by share; the last container takes what rounding leaves, so that the parts add up to the budget. Memory
 * is rounded to whole Mi unless that would bring the pod below its minimum.
 */
export function splitBudget({ amounts }: Budget, shares: readonly Share[], rule: Rule): ContainerSize[] {
  const sizes = shares.map(({ container }) => ({
    container,
    amounts: new Map<PercentageName, bigint>(),
    printed: new Map<PercentageName, string>(),
  }))
  for (const [name, amount] of amounts) {
    const parts = splitSteps(amount.steps, shares)
    const printed = printParts(RESOURCE[name], amount, parts, rule)
    for (const [index, size] of sizes.entries()) {
      size.amounts.set(name, parts[index] ?? 0n)
      size.printed.set(name, printed[index] ?? '0')
    }
  }
  return sizes.map((size) => ({ ...size, limitRaised: raiseLimits(size) }))
}

function splitSteps(steps: bigint, shares: readonly Share[]): bigint[] {
  const parts = shares.map(({ percent }) => timesRoundedDown(steps, decimal(percent), HUNDRED))
  const rest = steps - sum(parts)
  return parts.map((part, index) => (index === parts.length - 1 ? part + rest : part))
}

/** The parts of a bound are exact, so that they add up to it; any other memory is whole Mi. */
function printParts(resource: Resource, amount: Amount, parts: readonly bigint[], rule: Rule): string[] {
  if (parts.length === 1) return [printAmount(resource, amount, rule.min[resource])]
  if (resource === 'cpu') return parts.map((steps) => printAmount('cpu', { steps }, rule.min.cpu))
  const rounded = parts.map(roundMemory)
  const isExact = amount.bound !== undefined || sum(rounded) < rule.min.memory.value()
  return (isExact ? parts : rounded).map(printMemory)
}

/** Rounding may not bring a part's limit below its request; the amounts that others are derived from follow. */
function raiseLimits({
  printed,
  amounts,
}: {
  printed: Map<PercentageName, string>
  amounts: Map<PercentageName, bigint>
}): boolean {
  let raised = false
  for (const [request, limit] of PAIRS) {
    const wanted = printed.get(request)
    const given = printed.get(limit)
    if (wanted === undefined || given === undefined || !isBelow(given, wanted)) continue
    printed.set(limit, wanted)
    const least = amounts.get(request) ?? 0n
    if ((amounts.get(limit) ?? 0n) < least) amounts.set(limit, least)
    raised = true
  }
  return raised
}

function sum(parts: readonly bigint[]): bigint {
  return parts.reduce((total, part) => total + part, 0n)
}

function isBelow(left: string, right: string): boolean {
  return Quantity.parse(left).compare(Quantity.parse(right)) < 0
}
