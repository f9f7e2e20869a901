import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readUsage, type UsageRow } from '../../../facts/inventory/index.ts'
import { readRow } from '../../../facts/usage/index.ts'
import { NODEFIT, validate, type WorkloadSnapshot } from '../../../kinds/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { isError } from '../../../krm/finding/index.ts'
import { memberOf } from '../../../krm/map.ts'
import { readYaml } from '../../../krm/read-yaml.ts'
import type { RowInGit } from '../collect/usage-rows.ts'
import { seriesId } from '../collect/usage-series.ts'
import { WORKLOAD_FILE } from './owned-folder.ts'

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
