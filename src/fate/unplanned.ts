import type { World } from '../core/index.ts'
import { memberOf } from '../krm/map.ts'
import { ownerName } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import type { PlannedChanges } from './change.ts'

/** Returns the enabled subjects of a source that a run for one subject does not plan. */
export function unplannedSubjects(
  source: Item,
  planned: readonly PlannedChanges[],
  { items, plansAllSubjects }: Pick<World, 'items' | 'plansAllSubjects'>,
): Item[] {
  const [first] = planned
  if (plansAllSubjects || first === undefined) return []
  const { apiVersion, kind } = first.subject.object
  const names = new Set(planned.map(({ subject }) => subject.object.metadata.name))
  return items.filter(({ object }) => {
    const isOther = object.kind === kind && object.apiVersion === apiVersion && !names.has(object.metadata.name)
    const target = memberOf(memberOf(object.spec, 'targetRef'), 'name')
    return isOther && target === source.object.metadata.name && memberOf(object.spec, 'enabled') !== false
  })
}

/** Returns the DaemonSets that such subjects rendered before, which the run leaves as they are. */
export function outputOf(subjects: readonly Item[], { ownedBy }: Pick<World, 'ownedBy'>): Item[] {
  const owned = subjects.flatMap(({ object: { kind, metadata } }) => ownedBy(ownerName(kind, metadata.name)))
  return owned.filter(({ object }) => object.kind === 'DaemonSet')
}
