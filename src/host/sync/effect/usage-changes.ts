import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readUsage, type UsageRow } from '../../../facts/inventory/index.ts'
import { memoryText, readRow, type SeriesKey } from '../../../facts/usage/index.ts'
import {
  isSizingPolicy,
  isWorkloadSnapshot,
  NODEFIT,
  readSizingPolicy,
  validate,
  type WorkloadSnapshot,
} from '../../../kinds/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { isError, listNames, plural } from '../../../krm/finding.ts'
import { memberOf } from '../../../krm/map.ts'
import { readYaml } from '../../../krm/read-yaml.ts'
import type { Item } from '../../../krm/types.ts'
import { timeText } from '../../../kube/index.ts'
import type { UsagePolicies, UsagePolicy } from '../collect/collector.ts'
import type { RowInGit } from '../collect/usage-rows.ts'
import { seriesId } from '../collect/usage-series.ts'
import type { HeldLimit } from '../collect/usage-settling.ts'
import { WORKLOAD_FILE } from './owned-folder.ts'
import type { Rendered } from './rendered.ts'
import { namespaceOf } from './targets.ts'

/** A container of a node group whose sizes are settled otherwise than in Git. */
interface UsageChange {
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

/** The rows of usage of a snapshot. */
export interface UsageInGit {
  /** By `seriesId`; none where they cannot be read. */
  readonly rows: ReadonlyMap<string, RowInGit>
  /** Why the rows cannot be read, in words. */
  readonly problem?: string
}

/** The rows that were read last, and their text. */
export interface UsageMemory {
  usage?: { readonly text: string; readonly read: UsageInGit }
}

const NONE: UsageInGit = { rows: new Map() }
const SECTION = /^ {2}usage:/m
const NEXT_SECTION = /\n {0,2}[A-Za-z]/

/** Returns the rows of usage in a checkout. */
export function usageInGit(root: string, { folder }: { readonly folder: string }, memory: UsageMemory): UsageInGit {
  try {
    return usageIn(readFileSync(join(root, folder, WORKLOAD_FILE), 'utf8').replaceAll('\r\n', '\n'), memory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NONE
    throw error
  }
}

/** Returns the rows of usage in the text of a snapshot, which are parsed once: thousands take a second. */
export function usageIn(snapshot: string | undefined, memory: UsageMemory): UsageInGit {
  const text = sectionOf(snapshot ?? '')
  if (text === '') return NONE
  if (memory.usage?.text !== text) memory.usage = { text, read: readRows(text) }
  return memory.usage.read
}

/** The part with the rows; the whole text where somebody has written it in another form. */
function sectionOf(snapshot: string): string {
  const start = SECTION.exec(snapshot)?.index
  if (start === undefined) return /\busage\b/.test(snapshot) ? snapshot : ''
  const rest = snapshot.slice(start + 2)
  const end = NEXT_SECTION.exec(rest)?.index
  return end === undefined ? rest : rest.slice(0, end + 1)
}

function readRows(text: string): UsageInGit {
  try {
    const root = readYaml(text, WORKLOAD_FILE)
    const usage = (memberOf(root, 'usage') ?? memberOf(memberOf(root, 'spec'), 'usage') ?? []) as UsageRow[]
    const spec = { cluster: '', usage }
    const snapshot = { apiVersion: NODEFIT, kind: 'WorkloadSnapshot', metadata: { name: WORKLOAD_FILE }, spec }
    const invalid = validate('WorkloadSnapshot', snapshot).find(isError)
    if (invalid !== undefined) return { ...NONE, problem: invalid.message }
    const { value, findings } = readUsage(snapshot, spec as WorkloadSnapshot['spec'])
    if (value === undefined) return { ...NONE, problem: findings[0]?.message ?? 'its usage cannot be read' }
    return { rows: new Map(value.map((row) => [seriesId(row), { known: readRow(row), row }])) }
  } catch (error) {
    if (error instanceof KrmError) return { ...NONE, problem: error.message }
    throw error
  }
}

type Rows = UsageInGit['rows']

/**
 * The settled rows in WorkloadSnapshots of a cluster beside the own one, as `nodefit inventory --usage` writes them. Of
 * rows with one name the first counts; a snapshot that the render refuses has none.
 */
export function importedRows(items: readonly Item[], own: string | undefined, cluster: string): Rows {
  const rows = new Map<string, RowInGit>()
  for (const { object, text } of items) {
    if (!isWorkloadSnapshot(object) || (own !== undefined && text === own)) continue
    if (validate('WorkloadSnapshot', object).some(isError)) continue
    const { spec } = object as unknown as WorkloadSnapshot
    if (spec.cluster !== cluster) continue
    for (const row of readUsage(object, spec).value ?? [])
      if (row.settled !== undefined && !rows.has(seriesId(row))) rows.set(seriesId(row), { known: readRow(row), row })
  }
  return rows
}

/**
 * Returns the rows that a process goes on from; undefined where there is none, and usage is not collected. Where it is,
 * imported rows count too, of each container of a policy of which Git has nothing settled: from then on Git's rows do.
 */
export function usageKnown(
  root: string,
  settings: Parameters<typeof usageInGit>[1],
  memory: UsageMemory & { readonly importedUsage?: Rows },
  isCollected: boolean,
): Rows | undefined {
  const { rows, problem } = usageInGit(root, settings, memory)
  if (!isCollected) return rows.size > 0 || problem !== undefined ? rows : undefined
  // what cannot be read is not nothing
  if (problem !== undefined) return rows
  const settled = new Set([...rows.values()].flatMap(({ row }) => (row.settled ? [containerOf(row)] : [])))
  const imported = [...(memory.importedUsage ?? [])].filter(([, { row }]) => !settled.has(containerOf(row)))
  return new Map([...rows, ...imported])
}

/** Returns the rows of a snapshot that was written. */
export function usageOf(workload: Record<string, unknown> | undefined): UsageInGit['rows'] {
  const rows = (memberOf(workload?.spec, 'usage') ?? []) as readonly UsageRow[]
  return new Map(rows.map((row) => [seriesId(row), { known: readRow(row), row }]))
}

function containerOf({ policy, container }: Pick<SeriesKey, 'policy' | 'container'>): string {
  return JSON.stringify([policy, container])
}

/**
 * What the collector of usage needs to know of SizingPolicies, by namespace and name; undefined where the files cannot
 * be read.
 */
export function usagePoliciesIn(rendered: Rendered): UsagePolicies | undefined {
  if (rendered.kind === 'failed' && rendered.items.length === 0) return undefined
  const policies = new Map<string, UsagePolicy>()
  for (const { object } of rendered.items) {
    const { settings } = isSizingPolicy(object) ? readSizingPolicy(object) : {}
    if (settings === undefined) continue
    const [namespace, name] = [namespaceOf(object, rendered), object.metadata.name]
    const { formerNames, nodeGroupKey, containers = [], baseName, env } = settings
    const chosen = containers.map((container) => container.name)
    policies.set(`${namespace}/${name}`, {
      formerNames: formerNames.map((former) => `${namespace}/${former}`),
      groupLabel: nodeGroupKey,
      ...(chosen.length > 0 && { containers: chosen }),
      mainContainer: baseName,
      heaps: env.flatMap(({ container, from }) => (from === 'limits.memory' ? [container ?? ''] : [])),
    })
  }
  return policies
}
