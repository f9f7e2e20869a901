import { type Container, Quantity } from '../kube/index.ts'
import { decimal, type Fraction, type Resource, type RuleText } from '../policy/index.ts'
import { GO_MEMORY_LIMIT } from './derive.ts'
import { amountOf, printAmount } from './size.ts'

/** The decimal with the fewest places from `low` to `high`, both above 0, and of several the smallest. */
export function decimalBetween(low: Fraction, high: Fraction): number {
  for (let places = 0, scale = 1n; ; places++, scale *= 10n) {
    const digits = roundedUp(low.numerator * scale, low.denominator)
    if (digits * high.denominator <= high.numerator * scale) return Number(`${digits}e-${places}`)
  }
}

export function isAbove(one: Fraction, other: Fraction): boolean {
  return one.numerator * other.denominator > other.numerator * one.denominator
}

function roundedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit
}

/** Request and limit of one resource, each undefined where there is none. */
export interface Pair<Value> {
  readonly request?: Value
  readonly limit?: Value
}

const NANO = 1_000_000_000n
/** What sizes are printed in whole multiples of: a millicore, and a mebibyte. */
const NANO_PER_STEP: Record<Resource, bigint> = { cpu: NANO / 1000n, memory: 1024n * 1024n * NANO }
const NONE = Quantity.of(0n, 'DecimalSI')
const HUNDRED_PERCENT: Fraction = { numerator: 100n, denominator: 1n }

/**
 * The percentages of an allocatable amount that come to what a template has, both above 0. With v for that and s for a millicore or 1Mi: the
 * shortest decimal that comes to between v + s/4 and v + 3s/4, which prints as v, also where a node has a little less; where no
 * size prints as v, one that comes to between v - 3s/4 and v - s/4, so that v as the minimum decides. At most 100: there the minimum decides,
 * too. That of a request is never above that of its limit.
 */
export function startPercentages(
  resource: Resource,
  allocatable: Quantity,
  { request, limit }: Pair<Quantity>,
): Pair<number> {
  const own = (amount: Quantity | undefined) =>
    amount === undefined ? undefined : percentageOf(resource, allocatable, amount, isPrinted(resource, amount))
  const [lower, upper] = [own(request), own(limit)]
  // they may be less than a step apart; a limit is not printed below its minimum, so that it decides all the same
  const isCrossed = lower !== undefined && upper !== undefined && lower > upper
  return { request: lower, limit: isCrossed ? lower : upper }
}

/** Whether a size can come out as the text that the amount is written back as. */
function isPrinted(resource: Resource, amount: Quantity): boolean {
  if (amount.nanoValue() % NANO_PER_STEP[resource] !== 0n) return false
  const least = resource === 'cpu' ? amount.milliValue() : amount.value()
  return printAmount(resource, { amount: least, min: NONE }) === amount.toString()
}

function percentageOf(resource: Resource, allocatable: Quantity, amount: Quantity, isOver: boolean): number {
  const own = amount.nanoValue()
  const step = !isOver && own < NANO_PER_STEP[resource] ? own : NANO_PER_STEP[resource]
  const [from, to] = isOver ? [1n, 3n] : [-3n, -1n]
  const share = (quarters: bigint): Fraction => ({
    numerator: 100n * (4n * own + quarters * step),
    denominator: 4n * allocatable.nanoValue(),
  })
  const low = share(from)
  return isAbove(low, HUNDRED_PERCENT) ? 100 : decimalBetween(low, share(to))
}

const MI = 1n << 20n
const NO_MAXIMUM = Quantity.of(1n << 62n, 'DecimalSI')
const ONE: Fraction = { numerator: 1n, denominator: 1n }

/**
 * The fraction of its memory limit that a container's GOMEMLIMIT is: the shortest decimal that comes to the number in its variable, both on nodes of the
 * basis and where the limit's minimum decides, as on a node with a little less. A rule of `startFrom` leaves the number as it is while the limit
 * grows with the nodes. Undefined without a limit, where the variable is no whole number of MiB (only that can come out again), or more than the limit.
 */
export function startHeap(
  { env, resources }: Container,
  { resourcePercentages }: Pick<Required<RuleText>, 'resourcePercentages'>,
  memory: Quantity,
): number | undefined {
  const percentage = resourcePercentages.limitMemory
  const mebibytes = wholeMebibytes(env)
  if (mebibytes === undefined || typeof percentage !== 'number') return undefined
  const min = Quantity.parse(resources?.limits?.memory ?? 0)
  const rule = { percentage: decimal(percentage), min, max: NO_MAXIMUM, rounds: 'down' } as const
  const [least, most] = [min.value(), amountOf('memory', memory, rule).amount]
  const low = { numerator: mebibytes * MI, denominator: least }
  const high = { numerator: (mebibytes + 1n) * MI - 1n, denominator: most }
  if (isAbove(low, ONE) || !isAbove(high, low)) return undefined
  return decimalBetween(low, isAbove(high, ONE) ? ONE : high)
}

/** What the variable says where it is written as a policy would write it; of two entries the kubelet's choice is not guessed. */
function wholeMebibytes(env: Container['env']): bigint | undefined {
  const [own, ...others] = (env ?? []).filter(({ name }) => name === GO_MEMORY_LIMIT)
  const [, digits] = /^([1-9][0-9]{0,11})MiB$/.exec(own?.value ?? '') ?? []
  return digits === undefined || others.length > 0 ? undefined : BigInt(digits)
}
