import { member } from '../krm/map.ts'
import { GROUP } from '../krm/ownership.ts'
import type { Item } from '../krm/types.ts'
import { isLabelValue } from '../kube/index.ts'
import type { GroupName } from './assign-names.ts'

/** The names and labels of groups as they were rendered before, by the group's identity. */
export function earlierNames(items: readonly Item[], nodeGroupKey: string): Map<string, GroupName> {
  const names = new Map<string, GroupName>()
  for (const { object } of items) {
    const id = object.metadata.annotations?.[GROUP]
    const label = member(object.metadata.labels ?? {}, nodeGroupKey)
    const name: unknown = object.metadata.name
    // a user may have written anything there
    if (typeof id !== 'string' || typeof name !== 'string' || names.has(id)) continue
    names.set(id, { name, label: typeof label === 'string' && isLabelValue(label) ? label : '' })
  }
  return names
}
