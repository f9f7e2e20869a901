import { Quantity } from '../kube/index.ts'
import {
  type Fraction,
  type PercentageName,
  type Resource,
  type Rule,
  type Steps,
  timesRoundedDown,
} from '../policy/index.ts'
import type { Basis } from './basis.ts'

const HUNDRED = 100n
const NANO_PER_MILLI = 1_000_000n
const NANO_PER_UNIT = 1_000_000_000n
const KI = 1024n
const MI = KI * KI

/** The least amount of a resource that is rendered: a thousandth of a core, or a byte. */
const NANO_PER_LEAST: Record<Resource, bigint> = { cpu: NANO_PER_MILLI, memory: NANO_PER_UNIT }

/** An amount in millicores or bytes, and what decides how it is printed. */
export interface Amount {
  readonly amount: bigint
  /** The minimum or maximum that decided it, if one did: final as it is written. */
  readonly bound?: Quantity
  /** The step that it was rounded to, if there is one. */
  readonly step?: Quantity
  /** The minimum, below which printing does not bring it. */
  readonly min: Quantity
}

/** By what an amount is made of a basis. */
export interface AmountRule {
  readonly percentage: Fraction
  readonly min: Quantity
  readonly max: Quantity
  readonly step?: Quantity
  /** A request is rounded up to the step, a limit down. */
  readonly rounds: 'up' | 'down'
}

/** percentage of basis, rounded down to a millicore or byte, then to the step, then held between the bounds. */
export function amountOf(
  resource: Resource,
  basis: Quantity,
  { percentage, min, max, step, rounds }: AmountRule,
): Amount & { raw: bigint; stepped: bigint } {
  const least = NANO_PER_LEAST[resource]
  const raw = timesRoundedDown(basis.nanoValue(), percentage, HUNDRED * least)
  const stepped = step === undefined ? raw : toMultiple(raw, step.nanoValue() / least, rounds)
  const own = { raw, stepped, min }
  if (stepped * least <= min.nanoValue()) return { ...own, amount: leastOf(resource, min), bound: min }
  if (stepped * least >= max.nanoValue()) return { ...own, amount: leastOf(resource, max), bound: max }
  return { ...own, amount: stepped, step }
}

function toMultiple(amount: bigint, of: bigint, rounds: 'up' | 'down'): bigint {
  const below = amount - (amount % of)
  return rounds === 'up' && below < amount ? below + of : below
}

/** Whether one amount of a resource is less than another, bounds as exactly as they are written. */
export function isLess(resource: Resource, one: Amount, other: Amount): boolean {
  const nano = ({ amount, bound }: Amount) => bound?.nanoValue() ?? amount * NANO_PER_LEAST[resource]
  return nano(one) < nano(other)
}

/** A quantity in millicores or bytes, a finer rest rounded up. */
function leastOf(resource: Resource, quantity: Quantity): bigint {
  return resource === 'cpu' ? quantity.milliValue() : quantity.value()
}

/**
 * The canonical text of an amount: a bound as it is; CPU in millicores; memory as the multiple of the step that it is, else in
 * whole Mi, but not below the minimum.
 */
export function printAmount(resource: Resource, { amount, bound, step, min }: Amount): string {
  if (bound !== undefined) return bound.toString()
  if (resource === 'cpu') return Quantity.ofMilli(amount).toString()
  if (step !== undefined) return Quantity.of(amount, step.format).toString()
  const rounded = roundMemory(amount)
  return rounded * NANO_PER_UNIT < min.nanoValue() ? min.toString() : printMemory(rounded)
}

/** Whole Mi, below 1Mi whole Ki, below 1Ki bytes; always rounded down. */
export function roundMemory(bytes: bigint): bigint {
  if (bytes >= MI) return bytes - (bytes % MI)
  return bytes >= KI ? bytes - (bytes % KI) : bytes
}

export function printMemory(bytes: bigint): string {
  return Quantity.of(bytes, 'BinarySI').toString()
}

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
