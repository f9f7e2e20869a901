import type { History } from './history.ts'
import type { Hour } from './hour.ts'
import { type Seen, seenBefore } from './seen.ts'

const DAY = 86_400_000

/**
 * Returns what the days say, or the busiest hours of today while no day counts: of 0 days then. Undefined where nothing
 * was measured.
 */
export function seenSoFar({ days, today: { date, hours } }: History, now: number): Seen | undefined {
  const seen = seenBefore(days, now)
  if (seen !== undefined || hours.length === 0) return seen
  const most = (value: (hour: Hour) => number | undefined) => Math.max(0, ...hours.map((hour) => value(hour) ?? 0))
  const today = {
    date,
    used: { cpu: most(({ used }) => used.cpu), memory: most(({ used }) => used.memory) },
    medianMemory: most(({ medianMemory }) => medianMemory),
    peakMemory: most(({ peakMemory }) => peakMemory),
    shareAtLimit: most(({ shareAtLimit }) => shareAtLimit),
    pods: most(({ pods }) => pods),
  }
  const ofToday = seenBefore([today], Date.parse(date) + DAY)
  return ofToday && { ...ofToday, days: 0 }
}
