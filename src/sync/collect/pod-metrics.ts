import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { KubeError, Quantity } from '../../kube/index.ts'

/** Beyond this there is one step for all. */
const LARGEST = 10n ** 9n

/**
 * Amounts on a scale whose steps are 5 % apart, or one unit where that is more: what a container uses changes a file only when it
 * changes by so much, and a size that is taken from it does not move the scale, as percentages of that size would.
 */
export interface Scale {
  /** The number of the step that an amount is rounded up to. */
  stepOf(amount: Quantity): number
  /** The amount of a step, in its canonical form. */
  textOf(step: number): string
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
  // a twentieth more, rounded up, in whole numbers: the same on every machine
  for (let step = 10n; step < LARGEST; steps.push(step)) step = (step * 21n + 19n) / 20n
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
    textOf: (step) => quantityOf(steps[Math.min(Math.max(step, 0), last)] ?? 0n).toString(),
  }
}

/** The resources of which usage is kept, and the scale of each. */
export const MEASURED: Readonly<Record<'cpu' | 'memory', Scale>> = { cpu: CPU_SCALE, memory: MEMORY_SCALE }

export type Measured = keyof typeof MEASURED

/** What a container used when its pod was measured, as steps of the scales. */
export interface Sample {
  readonly pod: string
  /** When it was measured, as text. */
  readonly at: string
  readonly container: string
  readonly steps: Partial<Record<Measured, number>>
}

/** The samples of a list of PodMetrics; what of it cannot be read is left out. */
export function samplesIn(answer: unknown): Sample[] {
  return listOf(memberOf(answer, 'items')).flatMap((item) => {
    const pod = memberOf(memberOf(item, 'metadata'), 'name')
    if (typeof pod !== 'string') return []
    const at = String(memberOf(item, 'timestamp') ?? '')
    return listOf(memberOf(item, 'containers')).flatMap((one) => {
      const container = memberOf(one, 'name')
      const usage = memberOf(one, 'usage')
      if (typeof container !== 'string' || !isMap(usage)) return []
      return [{ pod, at, container, steps: stepsOf(usage) }]
    })
  })
}

function stepsOf(usage: Record<string, unknown>): Sample['steps'] {
  return Object.fromEntries(
    Object.entries(MEASURED).flatMap(([name, scale]) => {
      const amount = quantityIn(memberOf(usage, name))
      return amount === undefined ? [] : [[name, scale.stepOf(amount)]]
    }),
  )
}

function quantityIn(text: unknown): Quantity | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}
