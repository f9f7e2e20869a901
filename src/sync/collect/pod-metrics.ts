import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { KubeError, Quantity } from '../../kube/index.ts'

/** The largest step, in units; larger amounts are on it too. */
const LARGEST_STEP = 10n ** 9n

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
}

const MEBIBYTE = 1024n * 1024n

/** Cores: 10m, 11m, 12m, … 20m, 21m, 23m, 25m, … */
export const CPU_SCALE = scaleOf(
  (amount) => amount.milliValue(),
  (units) => Quantity.ofMilli(units),
)

/** Memory: 10Mi, 11Mi, 12Mi, … 20Mi, 21Mi, 23Mi, 25Mi, … */
export const MEMORY_SCALE = scaleOf(
  (amount) => (amount.value() + MEBIBYTE - 1n) / MEBIBYTE,
  (units) => Quantity.of(units * MEBIBYTE, 'BinarySI'),
)

function scaleOf(unitsOf: (amount: Quantity) => bigint, quantityOf: (units: bigint) => Quantity): Scale {
  const steps = [10n]
  // 5 % more, rounded up, in integers: the same steps on every machine
  for (let step = 10n; step < LARGEST_STEP; steps.push(step)) step = (step * 21n + 19n) / 20n
  const last = steps.length - 1
  return {
    stepOf(amount) {
      const units = unitsOf(amount)
      let [low, high] = [0, last]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((steps[middle] ?? 0n) < units) low = middle + 1
        else high = middle
      }
      return low
    },
    quantityText: (step) => quantityOf(steps[Math.min(Math.max(step, 0), last)] ?? 0n).toString(),
  }
}

/** The resources whose usage is collected, with the scale of each. */
export const MEASURED: Readonly<Record<'cpu' | 'memory', Scale>> = { cpu: CPU_SCALE, memory: MEMORY_SCALE }

export type Measured = keyof typeof MEASURED

/** The usage of one container in one measurement, as steps of the scales. */
export interface Sample {
  readonly pod: string
  /** The time of the measurement, as the metrics API writes it. */
  readonly at: string
  readonly container: string
  readonly steps: Partial<Record<Measured, number>>
}

/** The samples of a PodMetricsList; malformed entries are left out. */
export function samplesIn(response: unknown): Sample[] {
  return listOf(memberOf(response, 'items')).flatMap((item) => {
    const pod = memberOf(memberOf(item, 'metadata'), 'name')
    if (typeof pod !== 'string') return []
    const at = String(memberOf(item, 'timestamp') ?? '')
    return listOf(memberOf(item, 'containers')).flatMap((entry) => {
      const container = memberOf(entry, 'name')
      const usage = memberOf(entry, 'usage')
      if (typeof container !== 'string' || !isMap(usage)) return []
      return [{ pod, at, container, steps: stepsOf(usage) }]
    })
  })
}

function stepsOf(usage: Record<string, unknown>): Sample['steps'] {
  return Object.fromEntries(
    Object.entries(MEASURED).flatMap(([name, scale]) => {
      const amount = parseQuantity(memberOf(usage, name))
      return amount === undefined ? [] : [[name, scale.stepOf(amount)]]
    }),
  )
}

/** A quantity of the metrics API; undefined for a malformed one. */
export function parseQuantity(text: unknown): Quantity | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}
