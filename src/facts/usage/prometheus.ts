import { MOST_USED } from './amounts.ts'
import { NO_HISTORY, withHour } from './history.ts'
import type { Hour } from './hour.ts'
import { settleRegularly } from './regular.ts'
import type { Known } from './rows.ts'
import { dateOf, seenBefore } from './seen.ts'
import type { InForce } from './settled.ts'

/** A series of an answer: its labels, and its samples as time in seconds and value. */
interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly values: ReadonlyArray<readonly [number, string]>
}

/** What the query of docs/daemonset/usage.md calls its parts. */
const PARTS = ['cpu', 'memory', 'median', 'peak', 'pods'] as const
type Part = (typeof PARTS)[number]

const HOUR = 3_600_000
const MEBIBYTE = 1024 * 1024
const MILLI = 1000
/** What each part is counted in. */
const UNITS: Readonly<Record<Part, number>> = {
  cpu: 1 / MILLI,
  memory: MEBIBYTE,
  median: MEBIBYTE,
  peak: MEBIBYTE,
  pods: 1,
}
/** The last second that has a date. */
const LAST_SECOND = 8.64e12

/** Whether a value is an answer of Prometheus, to whatever query. */
export function isPrometheusAnswer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'status' in value && 'data' in value
}

/**
 * Reads an answer of Prometheus to the range query of docs/daemonset/usage.md, as hours for each container of each
 * DaemonSet. Gives a text that says what is wrong with an answer that is something else.
 */
export function readPrometheus(answer: unknown): readonly Imported[] | string {
  const { status, error, data } = answer as { status?: unknown; error?: unknown; data?: unknown }
  if (status !== 'success') return `Prometheus answered ${String(status)}: ${String(error ?? 'no reason')}`
  const { resultType, result } = (data ?? {}) as { resultType?: unknown; result?: unknown }
  if (resultType !== 'matrix' || !Array.isArray(result))
    return `the answer is ${resultType === undefined ? 'nothing' : `a ${String(resultType)}`}, not a matrix: ask /api/v1/query_range`
  const found = new Map<string, { key: Omit<Imported, 'hours'>; hours: Map<number, Map<Part, number>> }>()
  for (const one of result as unknown[]) {
    const series = readSeries(one)
    if (series === undefined) return 'a series has no labels or no values'
    const { namespace, created_by_name: daemonSet, container, usage } = series.metric
    const part = PARTS.find((name) => name === usage)
    // an empty label is none
    if (!namespace || !daemonSet || !container || part === undefined)
      return `a series lacks one of the labels namespace, created_by_name, container and usage: ${JSON.stringify(series.metric)}`
    const id = JSON.stringify([namespace, daemonSet, container])
    const known = found.get(id) ?? { key: { namespace, daemonSet, container }, hours: new Map() }
    found.set(id, known)
    for (const [time, text] of series.values) {
      const value = Number(text)
      // a rate over an hour without samples is NaN
      if (!(value >= 0 && value / UNITS[part] <= MOST_USED) || !(Math.abs(time) < LAST_SECOND)) continue
      const end = Math.ceil((time * MILLI) / HOUR) * HOUR
      const hour = known.hours.get(end) ?? new Map<Part, number>()
      known.hours.set(end, hour.set(part, value))
    }
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { key, hours }]) => ({ ...key, hours: [...hours].sort(([a], [b]) => a - b).flatMap(hourOfParts) }))
}

function hourOfParts([end, parts]: readonly [number, ReadonlyMap<Part, number>]): Imported['hours'] {
  const memory = parts.get('memory')
  // as in sync, 0 is no measurement
  if (memory === undefined || memory === 0) return []
  const cpu = parts.get('cpu')
  const mebi = (bytes: number) => Math.ceil(bytes / MEBIBYTE)
  const hour: Hour = {
    used: { ...(cpu !== undefined && { cpu: Math.ceil(cpu * MILLI) }), memory: mebi(memory) },
    medianMemory: mebi(parts.get('median') ?? memory),
    peakMemory: mebi(parts.get('peak') ?? memory),
    shareAtLimit: 0,
    pods: Math.ceil(parts.get('pods') ?? 0),
  }
  return [{ end, hour }]
}

function readSeries(one: unknown): Series | undefined {
  const { metric, values } = (one ?? {}) as Partial<Series>
  const isWhole =
    typeof metric === 'object' &&
    metric !== null &&
    Array.isArray(values) &&
    values.every((pair) => Array.isArray(pair) && pair.length === 2)
  return isWhole ? { metric, values } : undefined
}

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
