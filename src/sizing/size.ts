import type { PercentageName, Resource, Rule } from '../policy/index.ts'
import { type Amount, amountOf } from './amount.ts'
import type { Basis } from './basis.ts'

/** How a number came about: the percentage, what it was taken of, the raw result and the bound that decided. */
export interface Trace {
  readonly name: PercentageName
  readonly percentage: string
  readonly basis: string
  /** Millicores or bytes before bounds. */
  readonly raw: bigint
  readonly decidedBy?: 'minimum' | 'maximum'
}

/** A pod's budget: the four amounts, those without a percentage left out, and the trace of each. */
export interface Budget {
  readonly amounts: ReadonlyMap<PercentageName, Amount>
  readonly traces: readonly Trace[]
}

const NAMES: ReadonlyArray<{ name: PercentageName; resource: Resource }> = [
  { name: 'requestCPU', resource: 'cpu' },
  { name: 'requestMemory', resource: 'memory' },
  { name: 'limitCPU', resource: 'cpu' },
  { name: 'limitMemory', resource: 'memory' },
]

/**
 * The budget of one pod of the group: percentages held between bounds. A limit is never below its request, since a
 * rule whose request percentage is above the limit percentage is refused and both have the same bounds.
 */
export function budgetOf(basis: Basis, rule: Rule): Budget {
  const amounts = new Map<PercentageName, Amount>()
  const traces: Trace[] = []
  for (const { name, resource } of NAMES) {
    const percentage = rule.percentages[name]
    if (percentage === null) continue
    const { raw, ...amount } = amountOf(resource, percentage, basis[resource], rule.min[resource], rule.max[resource])
    amounts.set(name, amount)
    const decidedBy =
      amount.bound === undefined ? undefined : amount.bound === rule.min[resource] ? 'minimum' : 'maximum'
    traces.push({ name, percentage: percent(percentage), basis: basis[resource].toString(), raw, decidedBy })
  }
  return { amounts, traces }
}

function percent({ numerator, denominator }: { numerator: bigint; denominator: bigint }): string {
  return `${Number(numerator) / Number(denominator)}%`
}
