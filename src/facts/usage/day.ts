import { type Amounts, largest } from './amounts.ts'
import type { Hour } from './hour.ts'

/** What a node group used on a day. */
export interface Day {
  /** The day in UTC, as `2026-11-12`. */
  readonly date: string
  /** The third-busiest hour of each resource: two hours of an accident or a deployment say nothing. */
  readonly used: Amounts
  readonly medianMemory: number
  readonly peakMemory: number
  readonly shareAtLimit: number
  readonly pods: number
}

const LEAST_HOURS = 12
const RANK = 3

/** Returns a day of a node group; undefined where fewer than twelve of its hours count. */
export function dayOf(date: string, hours: readonly Hour[]): Day | undefined {
  if (hours.length < LEAST_HOURS) return undefined
  const third = (value: (hour: Hour) => number | undefined) =>
    largest(
      hours.flatMap((hour) => value(hour) ?? []),
      RANK,
    )
  const cpu = third(({ used }) => used.cpu)
  return {
    date,
    used: { ...(cpu !== undefined && { cpu }), memory: third(({ used }) => used.memory) ?? 0 },
    medianMemory: third(({ medianMemory }) => medianMemory) ?? 0,
    peakMemory: Math.max(...hours.map(({ peakMemory }) => peakMemory)),
    shareAtLimit: third(({ shareAtLimit }) => shareAtLimit) ?? 0,
    pods: Math.max(...hours.map(({ pods }) => pods)),
  }
}
