import type { PlannedChanges } from '../fate/index.ts'
import { describe } from '../krm/identity.ts'
import type { ChangesJson } from './fleet-types.ts'

/** Returns what becomes of the objects of a subject, and of those that differ which fields do, without their values. */
export function changesJson({ changes }: PlannedChanges): ChangesJson {
  const shown = changes.filter(({ isNeverApplied }) => isNeverApplied !== true)
  const count = (kind: string) => shown.filter((one) => one.kind === kind).length
  return {
    added: count('added'),
    changed: count('changed'),
    removed: count('removed'),
    released: count('released'),
    unchanged: count('unchanged'),
    objects: shown.flatMap((change) => {
      const object = (change.after ?? change.before)?.object
      if (object === undefined || change.kind === 'unchanged') return []
      return [{ object: describe(object), change: change.kind, fields: change.fields.map(({ path }) => path) }]
    }),
  }
}
