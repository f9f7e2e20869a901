import { readUsage, type UsageRow } from '../../../facts/inventory/index.ts'
import { readRow, type SeriesKey } from '../../../facts/usage/index.ts'
import { isWorkloadSnapshot, validate, type WorkloadSnapshot } from '../../../kinds/index.ts'
import { isError } from '../../../krm/finding/index.ts'
import { memberOf } from '../../../krm/map.ts'
import type { Item } from '../../../krm/types.ts'
import type { RowInGit } from '../collect/usage-rows.ts'
import { seriesId } from '../collect/usage-series.ts'
import { type UsageInGit, type UsageMemory, usageInGit } from './usage-in-git.ts'

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
