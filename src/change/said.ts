/** What is said of one rendered object: that it is new, changed or removed, and why. */

import { type Finding, listNames } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { GROUP } from '../krm/remembered.ts'
import { once, type World } from '../world/index.ts'
import type { Change, PlannedChanges } from './change.ts'
import { finding } from './codes.ts'
import { fieldText } from './field-text.ts'
import { takeValueLists } from './value-lists.ts'
import { renderedNow, whyRemoved } from './why-removed.ts'

/** Reports the objects of groups one by one; of objects for one node there are too many. */
export function changeFindings(planned: PlannedChanges, { fleets, planners }: World): Finding[] {
  const ofGroups = planned.changes.filter((change) => groupOf(change) !== undefined)
  const rendered = ofGroups.flatMap(({ kind, after }) =>
    after === undefined || kind === 'released' ? [] : [after.object],
  )
  const now = once(() => renderedNow(rendered, planned, fleets))
  const subject = planned.subject.object
  const computed = new Set(planned.account.flatMap((line) => (line.kind === 'containers' ? line.variables : [])))
  const parts = planners.noun(planned.subject) ?? 'object'
  return ofGroups.flatMap((change) => {
    const item = change.before ?? change.after
    if (item === undefined || change.kind === 'unchanged') return []
    const who = describe(item.object)
    if (change.kind === 'added')
      return [finding('GroupAdded', `${who} is new: there was none for ${change.about}`, { subject })]
    if (change.kind === 'changed')
      return [finding('GroupChanged', `${who} changed: ${fieldsText(change, computed, parts)}`, { subject })]
    const why = whyRemoved(item.object, planned, now())
    return change.kind === 'removed'
      ? [finding('GroupRemoved', `${who} is removed: ${why}`, { subject })]
      : [finding('GroupReleased', `${who} stays as it is, and is no longer ours: ${why}`, { subject })]
  })
}

/** The fields that differ: what is in the pods before what only nodefit reads, and those with their values first. */
function fieldsText({ fields, before, after }: Change, computed: ReadonlySet<string>, parts: string): string {
  if (before === undefined) return `its ${parts}s are not those of before`
  const objects = [before, after].flatMap((item) => (item === undefined ? [] : [item.object]))
  const { lists, others } = takeValueLists(fields, before?.object, after?.object)
  const texts = [...lists, ...others.map((field) => ({ path: field.path, text: fieldText(field, objects, computed) }))]
  const rank = ({ path, text }: { path: string; text: string }) =>
    Number(!path.startsWith('spec.')) * 2 + Number(text === path)
  return listNames(texts.sort((a, b) => rank(a) - rank(b)).map(({ text }) => text))
}

function groupOf({ after, before }: Change): string | undefined {
  return (before ?? after)?.object.metadata.annotations?.[GROUP] ?? after?.object.metadata.annotations?.[GROUP]
}
