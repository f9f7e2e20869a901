import { decimal, type Fraction, type Resource, type SizesText } from '../../kinds/index.ts'
import { type Container, Quantity } from '../../kube/index.ts'
import { GO_MEMORY_LIMIT } from './derive.ts'
import { amountOf, printAmount } from './size.ts'

/** The decimal from `low` to `high`, both above 0, with the fewest places; the smallest of several. */
function decimalBetween(low: Fraction, high: Fraction): number {
  for (let places = 0, scale = 1n; ; places++, scale *= 10n) {
    const digits = roundedUp(low.numerator * scale, low.denominator)
    if (digits * high.denominator <= high.numerator * scale) return Number(`${digits}e-${places}`)
  }
}

function isAbove(left: Fraction, right: Fraction): boolean {
  return left.numerator * right.denominator > right.numerator * left.denominator
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
/** Sizes print in whole multiples of these: a millicore and a mebibyte. */
export const NANO_PER_STEP: Record<Resource, bigint> = { cpu: NANO / 1000n, memory: 1024n * 1024n * NANO }
const NONE = Quantity.of(0n, 'DecimalSI')
const HUNDRED_PERCENT: Fraction = { numerator: 100n, denominator: 1n }

/**
 * The percentages of an allocatable amount that give the request and limit of a template, both above 0. With v the
 * amount of the template and s a millicore or 1Mi: the shortest decimal that gives between v + s/4 and v + 3s/4, which
 * prints as v, also on a node with a little less. Where no size prints as v: one that gives between v - 3s/4 and v -
 * s/4, so that v as the minimum decides. At most 100, where the minimum decides, too. The percentage of a request is
 * never above that of its limit.
 */
export function startPercentages(
  resource: Resource,
  allocatable: Quantity,
  { request, limit }: Pair<Quantity>,
): Pair<number> {
  const percentage = (amount: Quantity | undefined) =>
    amount === undefined ? undefined : percentageOf(resource, allocatable, amount, isPrintable(resource, amount))
  const [lower, upper] = [percentage(request), percentage(limit)]
  // request and limit may be less than a step apart; the limit's minimum decides then
  const isCrossed = lower !== undefined && upper !== undefined && lower > upper
  return { request: lower, limit: isCrossed ? lower : upper }
}

/** Whether a size can print as this amount. */
function isPrintable(resource: Resource, amount: Quantity): boolean {
  if (amount.nanoValue() % NANO_PER_STEP[resource] !== 0n) return false
  const least = resource === 'cpu' ? amount.milliValue() : amount.value()
  return printAmount(resource, { amount: least, min: NONE }) === amount.toString()
}

function percentageOf(resource: Resource, allocatable: Quantity, amount: Quantity, isOver: boolean): number {
  const nano = amount.nanoValue()
  const step = !isOver && nano < NANO_PER_STEP[resource] ? nano : NANO_PER_STEP[resource]
  const [from, to] = isOver ? [1n, 3n] : [-3n, -1n]
  const share = (quarters: bigint): Fraction => ({
    numerator: 100n * (4n * nano + quarters * step),
    denominator: 4n * allocatable.nanoValue(),
  })
  const low = share(from)
  return isAbove(low, HUNDRED_PERCENT) ? 100 : decimalBetween(low, share(to))
}

const MI = 1n << 20n
const NO_MAXIMUM = Quantity.of(1n << 62n, 'DecimalSI')
const ONE: Fraction = { numerator: 1n, denominator: 1n }

/**
 * The `goMemLimitPercentage` that gives the GOMEMLIMIT of a container: the shortest decimal that gives it both on nodes
 * of the basis and where the minimum of the limit decides, as on a node with a little less. Undefined without a limit,
 * for a variable that is not a whole number of MiB (`deriveEnv` writes no other), and for one above the limit.
 */
export function startHeap(
  { env, resources }: Container,
  { resourcePercentages }: Pick<SizesText, 'resourcePercentages'>,
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

/** The value of the variable in MiB; undefined for another format, and for two entries, where the kubelet decides. */
function wholeMebibytes(env: Container['env']): bigint | undefined {
  const [variable, ...others] = (env ?? []).filter(({ name }) => name === GO_MEMORY_LIMIT)
  const [, digits] = /^([1-9][0-9]{0,11})MiB$/.exec(variable?.value ?? '') ?? []
  return digits === undefined || others.length > 0 ? undefined : BigInt(digits)
}
