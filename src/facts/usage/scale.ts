import { Quantity } from '../../kube/index.ts'

/** The largest step, in units; larger amounts are on it too. */
const LARGEST_STEP = 10n ** 9n
const MEBIBYTE = 1024n * 1024n

/**
 * A scale whose steps are 5 % apart, or one unit where that is more. Usage is written on it, so that it changes a file
 * only when it changes by 5 %. The scale does not depend on the sizes that are made from usage, as percentages of a
 * size would.
 */
export interface Scale {
  /** The index of the step that an amount is rounded up to. */
  stepOf(amount: Quantity): number
  /** The canonical quantity of a step. */
  quantityText(step: number): string
  /** A count of units, rounded up to a step; an amount beyond the largest is the largest. */
  stepUp(units: number): number
}

/** Cores, in thousandths: 10m, 11m, 12m, … 20m, 21m, 23m, 25m, … */
export const CPU_SCALE = scaleOf(
  (amount) => amount.milliValue(),
  (units) => Quantity.ofMilli(units),
)

/** Memory, in MiB: 10Mi, 11Mi, 12Mi, … 20Mi, 21Mi, 23Mi, 25Mi, … */
export const MEMORY_SCALE = scaleOf(
  (amount) => (amount.value() + MEBIBYTE - 1n) / MEBIBYTE,
  (units) => Quantity.of(units * MEBIBYTE, 'BinarySI'),
)

function scaleOf(unitsOf: (amount: Quantity) => bigint, quantityOf: (units: bigint) => Quantity): Scale {
  const steps = [10n]
  // 5 % more, rounded up, in integers: the same steps on every machine
  for (let step = 10n; step < LARGEST_STEP; steps.push(step)) step = (step * 21n + 19n) / 20n
  const last = steps.length - 1
  const unitsOfStep = steps.map(Number)
  const indexOf = (units: bigint | number) => {
    let [low, high] = [0, last]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((unitsOfStep[middle] ?? 0) < units) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    stepOf: (amount) => indexOf(unitsOf(amount)),
    quantityText: (step) => quantityOf(steps[Math.min(Math.max(step, 0), last)] ?? 0n).toString(),
    stepUp: (units) => unitsOfStep[indexOf(units)] ?? 0,
  }
}
