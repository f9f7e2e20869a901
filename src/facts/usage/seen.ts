import { type Amounts, largest, nearestRank } from './amounts.ts'
import type { Day } from './day.ts'
import { CPU_SCALE, MEMORY_SCALE } from './scale.ts'

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
