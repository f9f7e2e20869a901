import { NO_HISTORY, withHour } from './history.ts'
import type { Hour } from './hour.ts'
import { settleRegularly } from './regular.ts'
import type { Known } from './rows.ts'
import { dateOf, seenBefore } from './seen.ts'
import type { InForce } from './settled.ts'

/** What another system measured of one container of a DaemonSet, hour by hour. */
export interface Imported {
  readonly namespace: string
  readonly daemonSet: string
  readonly container: string
  /** Each hour with its end in milliseconds, in order. */
  readonly hours: ReadonlyArray<{ readonly end: number; readonly hour: Hour }>
}

/**
 * Settles what was imported as the regular time would, at the last hour: the days that have ended by then, their sizes,
 * and `Imported` as the reason. Nothing is settled of fewer than seven days.
 */
export function settleImported(
  hours: Imported['hours'],
  inForce: InForce,
): Omit<Known, 'policy' | 'container' | 'group' | 'node'> {
  const last = hours.at(-1)
  if (last === undefined) return { days: 0, pods: 0 }
  const { days } = hours.reduce((history, { end, hour }) => withHour(history, hour, end), NO_HISTORY)
  const seen = seenBefore(days, last.end)
  const settled = settleRegularly(undefined, { ...(seen && { seen }), kills: [], inForce }, last.end)
  const newest = days
    .map(({ date }) => date)
    .filter((date) => date < dateOf(last.end))
    .at(-1)
  return {
    days: seen?.days ?? 0,
    ...(newest !== undefined && { newest }),
    pods: seen?.pods ?? 0,
    ...(seen && { seen: { used: seen.used, peakMemory: seen.peakMemory, peakAt: seen.peakAt } }),
    ...(settled && { settled: { ...settled, why: 'Imported' } }),
  }
}
