import type { UsageRow } from '../../../facts/inventory/index.ts'
import {
  countKills,
  type Decision,
  followsLimit,
  growthIn,
  type History,
  type Known,
  type Settled,
  seenBefore,
  writeRow,
} from '../../../facts/usage/index.ts'
import { timeText } from '../../../kube/index.ts'
import { groupId, type Present, type PresentSeries } from './usage-facts.ts'
import { seriesId } from './usage-series.ts'

/** A row of Git: what it says, and as it is written. */
export interface RowInGit {
  readonly known: Omit<Known, 'node'>
  readonly row: UsageRow
}

export interface RowsInput {
  /** By `seriesId`, as the other maps. */
  readonly inGit: ReadonlyMap<string, RowInGit>
  readonly present: Present
  readonly decisions: ReadonlyMap<string, Decision>
  readonly historyOf: (id: string) => History
  /** In milliseconds since 1970. */
  readonly now: number
  /** When the schedule fired last: only then rows go. */
  readonly fire: number | undefined
  /** Milliseconds that a row stays after its group is gone. */
  readonly retain: number
}

/** The rows of usage, sorted: those of the groups that are there, and those of Git whose group is gone for a while. */
export function usageRows(input: RowsInput): UsageRow[] {
  const { inGit, present } = input
  const there = [...present.series].map(([id, series]) => [id, presentRow(id, series, input)] as const)
  const gone = [...inGit].flatMap(([id, { row }]) => (present.series.has(id) ? [] : goneRow(id, row, input)))
  return [...there, ...gone].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)
}

function presentRow(
  id: string,
  { key, inForce, node }: PresentSeries,
  { inGit, decisions, historyOf, now }: RowsInput,
): UsageRow {
  const before = inGit.get(id)
  const { settled, by } = decisions.get(id) ?? {}
  const history = historyOf(id)
  const seen = seenBefore(history.days, now)
  const kills = countKills(history.kills.filter(({ at }) => at > now - KILLS_COUNT_FOR))
  const ages = growthIn(history.ages ?? {})
  const follows = seen !== undefined && kills === undefined && followsLimit(seen, inForce)
  const known = {
    ...key,
    ...(seen === undefined ? seenInGit(before) : { ...newestDay(history), days: seen.days, pods: seen.pods, seen }),
    ...(kills && { kills }),
    ...(follows && { follows: { median: seen.week.medianMemory, limit: inForce.limits.memory ?? 0 } }),
    ...(ages && { ages }),
    ...(settled && { settled }),
  }
  // sizes are borrowed by the node: it changes when they do
  const isFixed = before?.row.settled !== undefined && by !== 'regular'
  return writeRow(known, isFixed ? before?.row.node : (node ?? before?.row.node))
}

const DAY = 86_400_000
const KILLS_COUNT_FOR = 14 * DAY

/** What Git says of days that are not known here: a lost history takes nothing away. */
function seenInGit(before: RowInGit | undefined): Pick<Known, 'days' | 'newest' | 'pods' | 'seen'> {
  const { days = 0, newest, pods = 0, seen } = before?.known ?? {}
  return { days, pods, ...(newest !== undefined && { newest }), ...(seen && { seen }) }
}

function newestDay({ days }: History): Pick<Known, 'newest'> {
  const newest = days
    .map(({ date }) => date)
    .sort()
    .at(-1)
  return newest === undefined ? {} : { newest }
}

/** A row without a pod: as it is while its group is there, else with the time since when that is gone. */
function goneRow(
  id: string,
  { emptySince = '', ...row }: UsageRow,
  { present, now, fire, retain }: RowsInput,
): Array<readonly [string, UsageRow]> {
  if (present.withoutPods.has(groupId(row))) return [[id, row]]
  const since = emptySince === '' ? timeText(now) : emptySince
  const isOver = fire !== undefined && Date.parse(since) + retain <= fire
  return isOver ? [] : [[id, { ...row, emptySince: since }]]
}

/** What is settled of each series in Git. */
export function settledInGit(inGit: ReadonlyMap<string, RowInGit>): Map<string, Settled> {
  return new Map([...inGit].flatMap(([id, { known }]) => (known.settled === undefined ? [] : [[id, known.settled]])))
}

/** Gives rows of policies that have another name now to the new name, where that has none. */
export function renamedRows(
  inGit: ReadonlyMap<string, RowInGit>,
  names: ReadonlyMap<string, string>,
): Map<string, RowInGit> {
  const rows = [...inGit.values()].map(({ known, row }): RowInGit => {
    const policy = names.get(row.policy) ?? row.policy
    return { known: { ...known, policy }, row: { ...row, policy } }
  })
  const own = new Map([...inGit].filter(([, { row }]) => !names.has(row.policy)))
  return new Map([...rows.map((one) => [seriesId(one.row), one] as const), ...own])
}
