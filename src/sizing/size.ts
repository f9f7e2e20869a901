import type { PercentageName, Resource, Rule, Steps } from '../policy/index.ts'
import type { Basis } from './allocatable.ts'
import { type Amount, amountOf, isLess } from './amount.ts'

/** How a number came about: the percentage, what it was taken of, the raw result, its rounding and what decided. */
export interface Trace {
  readonly name: PercentageName
  readonly resource: Resource
  readonly percentage: string
  readonly basis: string
  /** Millicores or bytes before rounding to the step and bounds. */
  readonly raw: bigint
  /** The step that is rounded to, and what came of it in millicores or bytes. */
  readonly step?: { readonly size: string; readonly result: bigint }
  /** A bound, or the request that a limit was raised to. */
  readonly decidedBy?: 'minimum' | 'maximum' | 'request'
}

/** A pod's budget: the four amounts, those without a percentage left out, and the trace of each. */
export interface Budget {
  readonly amounts: ReadonlyMap<PercentageName, Amount>
  readonly traces: readonly Trace[]
}

const NAMES: ReadonlyArray<{ name: PercentageName; resource: Resource; rounds: 'up' | 'down' }> = [
  { name: 'requestCPU', resource: 'cpu', rounds: 'up' },
  { name: 'requestMemory', resource: 'memory', rounds: 'up' },
  { name: 'limitCPU', resource: 'cpu', rounds: 'down' },
  { name: 'limitMemory', resource: 'memory', rounds: 'down' },
]

/** The request that each limit may not be below. */
const REQUEST_OF: Partial<Record<PercentageName, PercentageName>> = {
  limitCPU: 'requestCPU',
  limitMemory: 'requestMemory',
}

/**
 * The budget of one pod of the group: percentages rounded to steps and held between bounds. A limit that rounding or bounds of its
 * own bring below its request is raised to it.
 */
export function budgetOf(basis: Basis, rule: Rule, steps: Steps = {}): Budget {
  const amounts = new Map<PercentageName, Amount>()
  const traces: Trace[] = []
  for (const { name, resource, rounds } of NAMES) {
    const percentage = rule.percentages[name]
    if (percentage === null) continue
    const [min, max, step] = [rule.min[name], rule.max[name], steps[resource]]
    const { raw, stepped, ...own } = amountOf(resource, basis[resource], { percentage, min, max, step, rounds })
    const request = amounts.get(REQUEST_OF[name] ?? name)
    const isRaised = request !== undefined && isLess(resource, own, request)
    amounts.set(name, isRaised ? request : own)
    traces.push({
      name,
      resource,
      percentage: percent(percentage),
      basis: basis[resource].toString(),
      raw,
      step: step === undefined ? undefined : { size: step.toString(), result: stepped },
      decidedBy: isRaised ? 'request' : own.bound === undefined ? undefined : own.bound === min ? 'minimum' : 'maximum',
    })
  }
  return { amounts, traces }
}

function percent({ numerator, denominator }: { numerator: bigint; denominator: bigint }): string {
  return `${Number(numerator) / Number(denominator)}%`
}
