import { indexBy } from '../../../core/index.ts'
import type { UsageRow } from '../../../facts/inventory/index.ts'
import { type Known, readRow } from '../../../facts/usage/index.ts'
import type { SizingSettings } from '../../../kinds/index.ts'

/** What a WorkloadSnapshot knows of the usage of a policy's containers. */
export interface PolicyUsage {
  /** The row of a container in a node group; undefined where there is none. */
  of(container: string, group: string): Known | undefined
  /** All rows of a container, those of groups that are gone too. */
  all(container: string): readonly Known[]
}

/** Where a policy's rows are found: its names, and the namespace of what it renders, where that is known. */
export interface RowOwner {
  readonly names: readonly string[]
  readonly namespace: string | undefined
}

/** Returns the owner of the rows of a policy; those of its former names count where there are none of its own. */
export function rowOwner({ subject, formerNames }: SizingSettings, namespace: string | undefined): RowOwner {
  return { names: [subject.metadata.name, ...formerNames], namespace: namespace ?? subject.metadata.namespace }
}

/** Returns what the rows of a snapshot say of a policy; of a container and group, the first name with a row counts. */
export function policyUsage(rows: readonly UsageRow[], owner: RowOwner): PolicyUsage {
  const known = new Map<string, Known>()
  for (const row of owner.names.flatMap((name) => rowsNamed(rows, name, owner.namespace))) {
    const key = keyOf(row.container, row.group)
    if (!known.has(key)) known.set(key, readRow(row))
  }
  const sorted = [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
  const byContainer = indexBy(sorted, ({ container }) => container)
  return {
    of: (container, group) => known.get(keyOf(container, group)),
    all: (container) => byContainer.get(container) ?? [],
  }
}

/**
 * The rows of a policy: its namespace and name. Where nothing says the namespace, a later step sets one: that of all
 * rows of this name, if it is one.
 */
function rowsNamed(rows: readonly UsageRow[], name: string, namespace: string | undefined): readonly UsageRow[] {
  const named = rows.filter(({ policy }) => policy.slice(policy.indexOf('/') + 1) === name)
  if (namespace !== undefined) return named.filter(({ policy }) => policy === name || policy === `${namespace}/${name}`)
  return new Set(named.map(({ policy }) => policy)).size === 1 ? named : named.filter(({ policy }) => policy === name)
}

function keyOf(container: string, group: string): string {
  return JSON.stringify([container, group])
}
