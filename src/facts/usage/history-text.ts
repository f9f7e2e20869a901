import type { Ages } from './ages.ts'
import type { Amounts } from './amounts.ts'
import type { Day } from './day.ts'
import type { History, Regular } from './history.ts'
import type { Hour } from './hour.ts'
import type { Seen } from './seen.ts'
import type { Kill } from './settled.ts'

/** A series of measurements: one container in one node group of one policy. */
export interface SeriesKey {
  readonly policy: string
  readonly container: string
  readonly group: string
}

/** The histories of a cluster, each with its key. */
export type Histories = ReadonlyArray<readonly [SeriesKey, History]>

const VERSION = 1
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
/** The last millisecond that a Date has. */
const LAST_MILLISECOND = 8.64e15
type Row = ReadonlyArray<number | string | null>

/** Writes histories as one line of JSON, hours and days as lists of numbers: there are thousands of them. */
export function historiesText(histories: Histories): string {
  const series = histories.map(([{ policy, container, group }, { days, today, ...others }]) => {
    const rows = { days: days.map(dayRow), today: today.date, hours: today.hours.map(hourRow) }
    return [policy, container, group, { ...rows, ...others }]
  })
  return JSON.stringify({ version: VERSION, series })
}

/** Reads histories; undefined of a text that is something else, of another version, or damaged. */
export function readHistories(text: string): Histories | undefined {
  try {
    const { version, series } = JSON.parse(text) as { version: unknown; series: unknown }
    if (version !== VERSION || !Array.isArray(series)) return undefined
    return series.map((one) => readSeries(one as unknown[]))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}

function readSeries([policy, container, group, written]: readonly unknown[]): readonly [SeriesKey, History] {
  const { days, today, hours, kills, regular, ages, raisedAt } = written as Record<string, unknown>
  const key = { policy: textOrThrow(policy), container: textOrThrow(container), group: textOrThrow(group) }
  const history = {
    days: listOrThrow(days).map((row) => ({ date: dateOrThrow((row as Row)[0]), ...readHour((row as Row).slice(1)) })),
    today: {
      date: today === '' ? '' : dateOrThrow(today),
      hours: listOrThrow(hours).map((row) => readHour(row as Row)),
    },
    kills: listOrThrow(kills).map(readKill),
  }
  const known = {
    ...(regular !== undefined && { regular: readRegular(regular) }),
    ...(ages !== undefined && { ages: readAges(ages) }),
    ...(raisedAt !== undefined && { raisedAt: timeOrThrow(raisedAt) }),
  }
  return [key, { ...history, ...known }]
}

function dayRow({ date, ...hour }: Day): Row {
  return [date, ...hourRow(hour)]
}

function hourRow({ used, medianMemory, peakMemory, shareAtLimit, pods }: Hour): Row {
  return [used.cpu ?? null, used.memory ?? null, medianMemory, peakMemory, shareAtLimit, pods]
}

function readHour([cpu, memory, ...others]: Row): Hour {
  const [medianMemory, peakMemory, shareAtLimit, pods] = [0, 1, 2, 3].map((index) => amountOrThrow(others[index]))
  const used = {
    ...(cpu !== null && { cpu: amountOrThrow(cpu) }),
    ...(memory !== null && { memory: amountOrThrow(memory) }),
  }
  return { used, medianMemory, peakMemory, shareAtLimit, pods } as Hour
}

function readKill(written: unknown): Kill {
  const { pod, at, limit, count } = written as Record<string, unknown>
  const known = limit === undefined ? {} : { limit: countOrThrow(limit) }
  return { pod: textOrThrow(pod), at: timeOrThrow(at), ...known, count: countOrThrow(count) }
}

function readRegular(written: unknown): Regular {
  const { at, evidence, isInGit } = written as { at: unknown; evidence: Record<string, unknown>; isInGit: unknown }
  const { seen, kills, inForce } = evidence
  const { limits, hasHeapByLimit } = inForce as Record<string, unknown>
  if (typeof hasHeapByLimit !== 'boolean') throw new TypeError('hasHeapByLimit is not a boolean')
  const known = {
    kills: listOrThrow(kills).map(readKill),
    inForce: { limits: readAmounts(limits), hasHeapByLimit },
  }
  return {
    at: timeOrThrow(at),
    evidence: seen === undefined ? known : { seen: readSeen(seen), ...known },
    ...(isInGit === true && { isInGit }),
  }
}

function readAges(written: unknown): Ages {
  const { firstDay, weekOld } = written as Record<string, unknown>
  return {
    ...(firstDay !== undefined && { firstDay: amountOrThrow(firstDay) }),
    ...(weekOld !== undefined && { weekOld: amountOrThrow(weekOld) }),
  }
}

function readSeen(written: unknown): Seen {
  const { used, peakMemory, peakAt, days, pods, week } = written as Record<string, unknown>
  const { medianMemory, shareAtLimit } = week as Record<string, unknown>
  return {
    used: readAmounts(used),
    peakMemory: amountOrThrow(peakMemory),
    peakAt: textOrThrow(peakAt),
    days: amountOrThrow(days),
    pods: amountOrThrow(pods),
    week: { medianMemory: amountOrThrow(medianMemory), shareAtLimit: amountOrThrow(shareAtLimit) },
  }
}

function readAmounts(written: unknown): Amounts {
  const { cpu, memory } = written as Record<string, unknown>
  return {
    ...(cpu !== undefined && { cpu: amountOrThrow(cpu) }),
    ...(memory !== undefined && { memory: amountOrThrow(memory) }),
  }
}

function amountOrThrow(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new TypeError('not an amount')
  return value
}

/** A number of things: pods, days, bytes. */
function countOrThrow(value: unknown): number {
  const amount = amountOrThrow(value)
  if (!Number.isSafeInteger(amount)) throw new TypeError('not a whole number')
  return amount
}

function timeOrThrow(value: unknown): number {
  const amount = amountOrThrow(value)
  if (amount > LAST_MILLISECOND) throw new TypeError('not a time')
  return amount
}

function dateOrThrow(value: unknown): string {
  const text = textOrThrow(value)
  if (!DATE.test(text) || Number.isNaN(Date.parse(text))) throw new TypeError('not a date')
  return text
}

function textOrThrow(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text')
  return value
}

function listOrThrow(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list')
  return value
}
