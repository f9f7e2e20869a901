import {
  decimal,
  type Fraction,
  type PercentageName,
  type Resource,
  type Rule,
  type Steps,
  timesRoundedDown,
} from '../../kinds/index.ts'
import { Quantity } from '../../kube/index.ts'
import type { Basis } from './basis.ts'

const HUNDRED = 100n
const NANO_PER_MILLI = 1_000_000n
const NANO_PER_UNIT = 1_000_000_000n
const KI = 1024n
const MI = KI * KI

/** The smallest amount that nodefit renders, in nano units: a millicore or a byte. */
const NANO_PER_AMOUNT: Record<Resource, bigint> = { cpu: NANO_PER_MILLI, memory: NANO_PER_UNIT }

/** An amount in millicores or bytes, and what decides how it prints. */
interface Amount {
  readonly amount: bigint
  /** The minimum or maximum that decided it; printed as written. */
  readonly bound?: Quantity
  /** The step it is rounded to. */
  readonly step?: Quantity
  /** The minimum, which rounding for print does not undercut. */
  readonly min: Quantity
}

/** How an amount is computed from a basis. */
interface AmountRule {
  readonly percentage: Fraction
  readonly min: Quantity
  readonly max: Quantity
  readonly step?: Quantity
  /** A request is rounded up to the step, a limit down. */
  readonly rounds: 'up' | 'down'
}

/**
 * A percentage of a basis in millicores or bytes: rounded down, then to the step, then held between the bounds. `raw`
 * is the amount before rounding to the step, `stepped` after it.
 */
export function amountOf(
  resource: Resource,
  basis: Quantity,
  { percentage, min, max, step, rounds }: AmountRule,
): Amount & { raw: bigint; stepped: bigint } {
  const least = NANO_PER_AMOUNT[resource]
  const raw = timesRoundedDown(basis.nanoValue(), percentage, HUNDRED * least)
  const stepped = step === undefined ? raw : toMultiple(raw, step.nanoValue() / least, rounds)
  const parts = { raw, stepped, min }
  if (stepped * least <= min.nanoValue()) return { ...parts, amount: roundUp(resource, min), bound: min }
  if (stepped * least >= max.nanoValue()) return { ...parts, amount: roundUp(resource, max), bound: max }
  return { ...parts, amount: stepped, step }
}

/** Rounds an amount to a multiple. */
export function toMultiple(amount: bigint, of: bigint, rounds: 'up' | 'down'): bigint {
  const below = amount - (amount % of)
  return rounds === 'up' && below < amount ? below + of : below
}

/** Whether an amount is less than another; bounds count exactly as written. */
function isLess(resource: Resource, left: Amount, right: Amount): boolean {
  return isTimesLess(resource, left, right, 1n)
}

/** Whether an amount times a factor is less than another; bounds count exactly as written. */
export function isTimesLess(resource: Resource, left: Amount, right: Amount, times: bigint): boolean {
  const nano = ({ amount, bound }: Amount) => bound?.nanoValue() ?? amount * NANO_PER_AMOUNT[resource]
  return nano(left) * times < nano(right)
}

/** A quantity in millicores or bytes, rounded up. */
function roundUp(resource: Resource, quantity: Quantity): bigint {
  return resource === 'cpu' ? quantity.milliValue() : quantity.value()
}

/**
 * The canonical text of an amount: a bound as it is; CPU in millicores; memory as the multiple of the step that it is,
 * else in whole Mi, but not below the minimum.
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

/** How nodefit computed a number: percentage, basis, raw result, rounding and the bound that decided. */
export interface Trace {
  readonly name: PercentageName
  readonly resource: Resource
  readonly percentage: string
  readonly basis: string
  /** Millicores or bytes before rounding to the step and applying bounds. */
  readonly raw: bigint
  /** The step, and the result of rounding to it in millicores or bytes. */
  readonly step?: { readonly size: string; readonly result: bigint }
  /** What it gives, where that is not what the containers get. */
  readonly printed?: string
  /** What replaced the rounded amount: a bound, or the request that the limit is raised to. */
  readonly decidedBy?: 'minimum' | 'maximum' | 'request'
}

/** Requests and limits of one pod, each with its trace; an amount without a percentage is left out. */
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

/** The request that each limit is at least as large as. */
const REQUEST_OF: Partial<Record<PercentageName, PercentageName>> = {
  limitCPU: 'requestCPU',
  limitMemory: 'requestMemory',
}

/**
 * The budget of one pod of a group: percentages rounded to steps and held between bounds. A limit below its request is
 * raised to the request.
 */
export function budgetOf(basis: Basis, rule: Rule, steps: Steps = {}): Budget {
  const amounts = new Map<PercentageName, Amount>()
  const traces: Trace[] = []
  for (const { name, resource, rounds } of NAMES) {
    const percentage = rule.percentages[name]
    if (percentage === null || percentage === 'template') continue
    const [min, max, step] = [rule.min[name], rule.max[name], steps[resource]]
    const { raw, stepped, ...amount } = amountOf(resource, basis[resource], { percentage, min, max, step, rounds })
    const request = amounts.get(REQUEST_OF[name] ?? name)
    const isRaised = request !== undefined && isLess(resource, amount, request)
    amounts.set(name, isRaised ? request : amount)
    traces.push({
      name,
      resource,
      percentage: percent(percentage),
      basis: basis[resource].toString(),
      raw,
      step: step === undefined ? undefined : { size: step.toString(), result: stepped },
      decidedBy: isRaised
        ? 'request'
        : amount.bound === undefined
          ? undefined
          : amount.bound === min
            ? 'minimum'
            : 'maximum',
    })
  }
  return { amounts, traces }
}

/** The text of a percentage. */
export function percent({ numerator, denominator }: { numerator: bigint; denominator: bigint }): string {
  return `${Number(numerator) / Number(denominator)}%`
}

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
