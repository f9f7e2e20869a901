import type { UsageRow } from '../../../facts/inventory/index.ts'
import { memoryText } from '../../../facts/usage/index.ts'
import { listNames, plural } from '../../../krm/finding/index.ts'
import { memberOf } from '../../../krm/map.ts'
import { timeText } from '../../../kube/index.ts'
import { seriesId } from '../collect/usage-series.ts'
import type { HeldLimit } from '../collect/usage-settling.ts'
import type { UsageInGit } from './usage-in-git.ts'

/** A container of a node group whose sizes are settled otherwise than in Git. */
export interface UsageChange {
  readonly row: UsageRow
  readonly before: UsageRow['settled']
  /** Whether kills have raised its limit; otherwise the schedule, or an import that is gone, has changed it. */
  readonly isRaise: boolean
  /** The groups of the same container of which nothing is settled: they borrow the largest limit. */
  readonly borrowers: readonly string[]
}

/** What usage changes of the sizes in Git. */
export type UsageChanges = readonly UsageChange[]

function rowsOf(workload: Record<string, unknown> | undefined): readonly UsageRow[] | undefined {
  return memberOf(workload?.spec, 'usage') as readonly UsageRow[] | undefined
}

/** Whether a snapshot tells of usage. */
export function hasUsage(workload: Record<string, unknown> | undefined): boolean {
  return rowsOf(workload) !== undefined
}

/** The sizes that are settled otherwise than Git has them: nothing else of usage is rendered, or worth a commit. */
export function usageChanges(workload: Record<string, unknown> | undefined, { rows }: UsageInGit): UsageChanges {
  const all = rowsOf(workload) ?? []
  return all.flatMap((row) => {
    const before = rows.get(seriesId(row))?.row.settled
    if (JSON.stringify(row.settled) === JSON.stringify(before)) return []
    const isRaise = isRaised(row.settled, before)
    return [{ row, before, isRaise, borrowers: isRaise ? all.filter((one) => borrows(one, row)).map(groupOf) : [] }]
  })
}

const groupOf = ({ group }: UsageRow): string => group

function borrows(one: UsageRow, from: UsageRow): boolean {
  const { cpu, memory } = one.settled ?? {}
  const isOther = one.policy === from.policy && one.container === from.container && one.group !== from.group
  return isOther && cpu === undefined && memory === undefined
}

function isRaised(after: UsageRow['settled'], before: UsageRow['settled']): boolean {
  return (after?.raisedAt?.length ?? 0) > 0 && after?.raisedAt?.at(-1) !== before?.raisedAt?.at(-1)
}

/** Identifies the changes, so that a commit that waits for a review is made anew when they are others. */
export function usageText(changes: UsageChanges): string {
  return JSON.stringify(changes.map(({ row }) => [seriesId(row), row.settled]))
}

/** The changes in a few words; empty where there are none. */
export function usageBrief(changes: UsageChanges): string {
  const raises = changes.filter(({ isRaise }) => isRaise)
  const others = changes.filter(({ isRaise }) => !isRaise)
  const [first] = raises
  const raised =
    first === undefined
      ? []
      : raises.length === 1
        ? [`${nameOfSeries(first.row)} killed, limit settled at ${first.row.settled?.limitMemory ?? ''}`]
        : [`${plural(raises.length, 'limit')} raised after OOM kills`]
  const settled = others.length === 0 ? [] : [`sizes from usage for ${plural(groupsOf(others), 'node group')}`]
  return [...raised, ...settled].join(', ')
}

/** Changes that are named in a message; of more the number is told. */
const MOST_LINES = 100

/** The changes, one a line, raises first. */
export function usageLines(changes: UsageChanges): readonly string[] {
  if (changes.length === 0) return []
  const sorted = [...changes.filter(({ isRaise }) => isRaise), ...changes.filter(({ isRaise }) => !isRaise)]
  const rest = sorted.length - MOST_LINES
  return [
    'Sizes from usage',
    ...sorted.slice(0, MOST_LINES).map((change) => `  ${usageLine(change)}`),
    ...(rest > 0 ? [`  and ${rest} more, which ${rest === 1 ? 'is' : 'are'} in the snapshot`] : []),
  ]
}

function groupsOf(changes: UsageChanges): number {
  return new Set(changes.map(({ row: { policy, group } }) => JSON.stringify([policy, group]))).size
}

function nameOfSeries({ policy, container, group }: UsageRow): string {
  const [, name = policy] = policy.split('/')
  return `${name === container ? container : `${name} ${container}`} on ${group.replace(/^value:/, '')}`
}

const AMOUNTS = [
  ['cpu', 'CPU'],
  ['memory', 'memory'],
  ['limitCPU', 'limit of CPU'],
  ['limitMemory', 'limit of memory'],
] as const

/** One change: the container and its group, what it was and is, and why. */
export function usageLine({ row, before, isRaise, borrowers }: UsageChange): string {
  const { policy, container, group, settled, days = 0, pods = 0, kills } = row
  const amounts = AMOUNTS.flatMap(([name, words]) => {
    const [was, is] = [before?.[name], settled?.[name]]
    if (was === is) return []
    return [`${words} ${was === undefined ? '' : `${was} -> `}${is ?? 'not settled'}`]
  })
  const why = isRaise ? killsText(kills) : `${plural(days, 'day')}, ${plural(pods, 'pod')}`
  const others =
    borrowers.length === 0
      ? ''
      : `; of ${listNames(borrowers)} nothing is settled yet: with updateMode Auto they borrow the largest limit, and restart where it grows`
  return `${policy} ${container} ${group}: ${amounts.join(', ')} (${why})${others}`
}

/** A limit that is not raised again: the container and its group, its kills, and until when a person has to look. */
export function heldText({ key: { policy, container, group }, kills, until }: HeldLimit): string {
  const { count, pods, limit } = kills
  const killed = killsText({ count, pods, ...(limit !== undefined && { limit: memoryText(limit) }) })
  return `${policy} ${container} ${group}: ${killed}, and its limit was raised three times in fourteen days: it stays until ${timeText(until)}. Look for a leak, or raise minResources.limitMemory for the group`
}

function killsText({ count = 0, pods = 0, limit }: Partial<NonNullable<UsageRow['kills']>> = {}): string {
  return `killed ${plural(count, 'time')} in ${plural(pods, 'pod')}${limit === undefined ? '' : ` at ${limit}`}`
}
