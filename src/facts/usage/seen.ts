import { Quantity } from '../../kube/index.ts'
import { type Amounts, largest, nearestRank } from './amounts.ts'
import type { Day } from './hour.ts'

/** What a node group was seen to use over its days, on the scale of 5 %. */
export interface Seen {
  /** The second-busiest day of each resource, of fewer than five days the busiest. */
  readonly used: Amounts
  /** The largest memory of any container, and its day. */
  readonly peakMemory: number
  readonly peakAt: string
  /** How many days count. */
  readonly days: number
  /** The most pods that counted within an hour. */
  readonly pods: number
  /** Of the last seven days: the median of memory, and the largest share of containers at their CPU limit. */
  readonly week: { readonly medianMemory: number; readonly shareAtLimit: number }
}

/** How many days are kept, and looked at. */
export const WINDOW = 14
const WEEK = 7
const FEW_DAYS = 5

/**
 * Returns what the last fourteen days before a moment say, the moment's own day left out, since it has not ended;
 * undefined where none of them counts. The days are of one node group.
 */
export function seenBefore(days: readonly Day[], now: number): Seen | undefined {
  const within = (count: number) => days.filter(({ date }) => date >= dateOf(now - count * DAY) && date < dateOf(now))
  const window = within(WINDOW)
  const [first] = window
  if (first === undefined) return undefined
  const week = within(WEEK)
  const rank = window.length < FEW_DAYS ? 1 : 2
  const ranked = (value: (day: Day) => number | undefined) =>
    largest(
      window.flatMap((day) => value(day) ?? []),
      rank,
    )
  const cpu = ranked(({ used }) => used.cpu)
  const peak = window.reduce((most, day) => (day.peakMemory >= most.peakMemory ? day : most), first)
  return {
    used: {
      ...(cpu !== undefined && { cpu: CPU_SCALE.stepUp(cpu) }),
      memory: MEMORY_SCALE.stepUp(ranked(({ used }) => used.memory) ?? 0),
    },
    peakMemory: MEMORY_SCALE.stepUp(peak.peakMemory),
    peakAt: peak.date,
    days: window.length,
    pods: Math.max(...window.map(({ pods }) => pods)),
    week: {
      medianMemory:
        nearestRank(
          week.map(({ medianMemory }) => medianMemory),
          0.5,
        ) ?? 0,
      shareAtLimit: Math.max(0, ...week.map(({ shareAtLimit }) => shareAtLimit)),
    },
  }
}

const DAY = 86_400_000

/** The day of a moment in UTC, as `2026-11-12`. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

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
