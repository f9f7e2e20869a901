import { Quantity, timeText } from '../../kube/index.ts'
import type { UsageRow } from '../inventory/index.ts'
import type { Ages, Growth } from './ages.ts'
import type { Amounts } from './amounts.ts'
import type { History, Regular } from './history.ts'
import type { Day, Hour } from './hour.ts'
import type { NodeSize } from './neighbours.ts'
import type { Seen } from './seen.ts'
import type { Kill, Settled } from './settled.ts'

/** What a row of a WorkloadSnapshot says of one container in one node group. Memory is in MiB, CPU in thousandths. */
export interface Known extends SeriesKey {
  readonly node: NodeSize
  /** How many days count, and the newest of them. */
  readonly days: number
  readonly newest?: string
  readonly pods: number
  /** Undefined while no day counts. */
  readonly seen?: Pick<Seen, 'used'> & Partial<Pick<Seen, 'peakMemory' | 'peakAt'>>
  /** Undefined where none was seen. */
  readonly kills?: KillCount
  /** The median of memory and the limit, where memory follows the limit. */
  readonly follows?: { readonly median: number; readonly limit: number }
  /** What pods of their first day use of memory, and pods of seven days or more. */
  readonly ages?: Growth
  readonly settled?: Settled
}

/** Kills of the last fourteen days. */
export interface KillCount {
  readonly count: number
  readonly pods: number
  /** The limit of the last one; undefined where it had none. */
  readonly limit?: number
  readonly last: number
}

const MEBIBYTE = 2n ** 20n

/** Reads a row whose amounts and times `readUsage` has checked. Amounts are rounded up, those of the node down. */
export function readRow(row: UsageRow): Known {
  const { policy, container, group, node, days = 0, newest, pods = 0, seen, kills, follows, ages, settled } = row
  const known = {
    ...(newest !== undefined && { newest }),
    ...(seen && { seen: seenOf(seen) }),
    ...(kills && {
      kills: {
        ...{ count: kills.count, pods: kills.pods, last: Date.parse(kills.last) },
        ...(kills.limit !== undefined && { limit: mebi(kills.limit) }),
      },
    }),
    ...(follows && { follows: { median: mebi(follows.median), limit: mebi(follows.limit) } }),
    ...(ages && { ages: { firstDay: mebi(ages.firstDay), weekOld: mebi(ages.weekOld) } }),
    ...(settled && { settled: settledOf(settled) }),
  }
  return { policy, container, group, node: nodeSizeOf(node ?? {}), days, pods, ...known }
}

/** Writes a row; `node` are the amounts of the group's smallest node as its inventory writes them. */
export function writeRow(known: Omit<Known, 'node'>, node: UsageRow['node']): UsageRow {
  const { policy, container, group, days, newest, pods, seen, kills, follows, ages, settled } = known
  return {
    ...{ policy, container, group },
    ...(node && { node }),
    days,
    ...(newest !== undefined && { newest }),
    pods,
    ...(seen && {
      seen: {
        ...amountTexts(seen.used),
        ...(seen.peakMemory !== undefined && { peak: memoryText(seen.peakMemory) }),
        ...(seen.peakAt !== undefined && { peakAt: seen.peakAt }),
      },
    }),
    ...(kills && {
      kills: {
        ...{ count: kills.count, pods: kills.pods },
        ...(kills.limit !== undefined && { limit: memoryText(kills.limit) }),
        last: timeText(kills.last),
      },
    }),
    ...(follows && { follows: { median: memoryText(follows.median), limit: memoryText(follows.limit) } }),
    ...(ages && { ages: { firstDay: memoryText(ages.firstDay), weekOld: memoryText(ages.weekOld) } }),
    ...(settled && { settled: settledTexts(settled) }),
  }
}

/** The smallest node of a group from its allocatable amounts, rounded down; what it does not say is absent. */
export function nodeSizeOf({ cpu, memory, pods }: Readonly<Record<string, string | number | undefined>>): NodeSize {
  return {
    ...(cpu !== undefined && { cpu: Number(Quantity.parse(cpu).nanoValue() / 1_000_000n) }),
    ...(memory !== undefined && { memory: Number(Quantity.parse(memory).nanoValue() / (MEBIBYTE * 1_000_000_000n)) }),
    ...(pods !== undefined && { pods: Number(Quantity.parse(pods).value()) }),
  }
}

/** Counts kills for a row; undefined of none. */
export function countKills(kills: readonly Kill[]): KillCount | undefined {
  const [first] = kills
  if (first === undefined) return undefined
  const last = kills.reduce((newest, kill) => (kill.at >= newest.at ? kill : newest), first)
  return {
    count: kills.reduce((sum, { count }) => sum + count, 0),
    pods: new Set(kills.map(({ pod }) => pod)).size,
    ...(last.limit !== undefined && { limit: last.limit }),
    last: last.at,
  }
}

/** The canonical text of a count of MiB. */
export function memoryText(mebibytes: number): string {
  return Quantity.of(BigInt(mebibytes) * MEBIBYTE, 'BinarySI').toString()
}

/** The canonical text of thousandths of a core. */
export function cpuText(thousandths: number): string {
  return Quantity.ofMilli(BigInt(thousandths)).toString()
}

type Text = string | number
type SeenTexts = NonNullable<UsageRow['seen']>
type SettledTexts = NonNullable<UsageRow['settled']>

const mebi = (text: Text) => Number((Quantity.parse(text).value() + MEBIBYTE - 1n) / MEBIBYTE)
const milli = (text: Text) => Number(Quantity.parse(text).milliValue())

function seenOf({ cpu, memory, peak, peakAt }: SeenTexts): NonNullable<Known['seen']> {
  return {
    used: amountsOf(cpu, memory),
    ...(peak !== undefined && { peakMemory: mebi(peak) }),
    ...(peakAt !== undefined && { peakAt }),
  }
}

function settledOf(texts: SettledTexts): Settled {
  const { cpu, memory, limitCPU, limitMemory, at, why, evidence, raisedAt = [] } = texts
  const [used, limits] = [amountsOf(cpu, memory), amountsOf(limitCPU, limitMemory)]
  return {
    ...{ used, limits, at: Date.parse(at), why, raisedAt: raisedAt.map((raised) => Date.parse(raised)) },
    ...(evidence !== undefined && { evidence }),
  }
}

function settledTexts({ used, limits, at, why, evidence, raisedAt }: Settled): SettledTexts {
  const { cpu: limitCPU, memory: limitMemory } = amountTexts(limits)
  return {
    ...amountTexts(used),
    ...(limitCPU !== undefined && { limitCPU }),
    ...(limitMemory !== undefined && { limitMemory }),
    ...{ at: timeText(at), why },
    ...(evidence !== undefined && { evidence }),
    ...(raisedAt.length > 0 && { raisedAt: raisedAt.map((raised) => timeText(raised)) }),
  }
}

function amountsOf(cpu: Text | undefined, memory: Text | undefined): Amounts {
  return { ...(cpu !== undefined && { cpu: milli(cpu) }), ...(memory !== undefined && { memory: mebi(memory) }) }
}

function amountTexts({ cpu, memory }: Amounts): { cpu?: string; memory?: string } {
  return {
    ...(cpu !== undefined && { cpu: cpuText(cpu) }),
    ...(memory !== undefined && { memory: memoryText(memory) }),
  }
}

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
