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
  /** Whether rounding had brought the memory limit below the request, so that it was raised to it. */
  readonly limitRaised: boolean
}

const RESOURCE: Record<PercentageName, Resource> = {
  requestCPU: 'cpu',
  limitCPU: 'cpu',
  requestMemory: 'memory',
  limitMemory: 'memory',
}
const HUNDRED = 100n

/** Splits a budget by share; the last container takes what rounding leaves, so that the parts add up to the budget. */
export function splitBudget({ amounts }: Budget, shares: readonly Share[], rule: Rule): ContainerSize[] {
  const sizes = shares.map(({ container }) => ({
    container,
    amounts: new Map<PercentageName, bigint>(),
    printed: new Map<PercentageName, string>(),
  }))
  for (const [name, amount] of amounts) {
    const parts = splitSteps(amount.steps, shares)
    for (const [index, steps] of parts.entries()) {
      sizes[index]?.amounts.set(name, steps)
      sizes[index]?.printed.set(name, printPart(RESOURCE[name], amount, steps, rule, parts.length))
    }
  }
  return sizes.map((size) => ({ ...size, limitRaised: raiseLimit(size.printed) }))
}

function splitSteps(steps: bigint, shares: readonly Share[]): bigint[] {
  const parts = shares.map(({ percent }) => timesRoundedDown(steps, decimal(percent), HUNDRED))
  const rest = steps - parts.reduce((sum, part) => sum + part, 0n)
  return parts.map((part, index) => (index === parts.length - 1 ? part + rest : part))
}

/** A part of a bound is exact, so that the parts still add up to it; any other memory is whole Mi. */
function printPart(resource: Resource, amount: Amount, steps: bigint, rule: Rule, count: number): string {
  if (count === 1) return printAmount(resource, amount, rule.min[resource])
  if (resource === 'cpu') return printAmount('cpu', { steps }, rule.min.cpu)
  return printMemory(amount.bound === undefined ? roundMemory(steps) : steps)
}

/** Rounding may not bring a part's limit below its request. */
function raiseLimit(printed: Map<PercentageName, string>): boolean {
  const request = printed.get('requestMemory')
  const limit = printed.get('limitMemory')
  if (request === undefined || limit === undefined || !isBelow(limit, request)) return false
  printed.set('limitMemory', request)
  return true
}

function isBelow(left: string, right: string): boolean {
  return Quantity.parse(left).compare(Quantity.parse(right)) < 0
}
