import { Quantity } from '../kube/index.ts'
import type { Fraction, Resource } from '../policy/index.ts'
import { printAmount } from './amount.ts'
import { decimalBetween, isAbove } from './decimal-between.ts'

/** Request and limit of one resource, each undefined where there is none. */
export interface Pair<Value> {
  readonly request?: Value
  readonly limit?: Value
}

const NANO = 1_000_000_000n
/** What sizes are printed in whole multiples of: a millicore, and a mebibyte. */
const NANO_PER_STEP: Record<Resource, bigint> = { cpu: NANO / 1000n, memory: 1024n * 1024n * NANO }
const NONE = Quantity.of(0n, 'DecimalSI')
const WHOLE: Fraction = { numerator: 100n, denominator: 1n }

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
  return isAbove(low, WHOLE) ? 100 : decimalBetween(low, share(to))
}
