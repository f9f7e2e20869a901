/** Roll-outs by maxSurge that never end: the new pod waits for what the old one holds, and the old one waits for it. */

import type { Planned } from '../core/index.ts'
import { surgeBlocker } from '../core/object/index.ts'
import { type Finding, listNames } from '../krm/finding/index.ts'
import { finding } from './codes.ts'

/**
 * Reports rendered DaemonSets whose later versions never start beside the present one: an error where the earlier
 * output had none of that kind, so that a change of the template brings it about.
 */
export function surgeFindings({ subject, earlier, objects, isEnabled }: Planned): Finding[] {
  if (!isEnabled) return []
  const stuck = objects.flatMap(({ object }) => {
    const why = object.kind === 'DaemonSet' ? surgeBlocker(object) : undefined
    return why === undefined ? [] : [{ name: object.metadata.name, why }]
  })
  const [first] = stuck
  if (first === undefined) return []
  const before = earlier.filter(({ object }) => object.kind === 'DaemonSet')
  const isNew = before.length > 0 && before.every(({ object }) => surgeBlocker(object) === undefined)
  const names = listNames(stuck.map(({ name }) => name).sort())
  const sentence = `${subject.object.metadata.name}: by maxSurge no new pod of ${names} starts beside the old one, which ${first.why}: later roll-outs never end`
  const found = finding('SurgeCannotStart', sentence, { subject: subject.object })
  return [isNew ? { ...found, severity: 'error' } : found]
}
