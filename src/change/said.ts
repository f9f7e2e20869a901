/** What is said of one rendered object: that it is new, changed or removed, and why. */

import { type Finding, listNames } from '../finding/index.ts'
import type { Fleet } from '../inventory/index.ts'
import { describe } from '../krm/identity.ts'
import { GROUP } from '../krm/remembered.ts'
import { once, type Planned } from '../world/index.ts'
import type { Change } from './change.ts'
import { finding } from './codes.ts'
import { fieldText } from './field-text.ts'
import { takeValueLists } from './value-lists.ts'
import { renderedNow, whyRemoved } from './why-removed.ts'

/** Groups are said one by one; of Tickets there are too many. */
export function changeFindings(
  planned: readonly Planned[],
  changes: readonly Change[],
  fleets: readonly Fleet[],
): Finding[] {
  const all = new Map(planned.map((by) => [by, [] as Change[]]))
  for (const change of changes)
    if (change.by !== undefined && groupOf(change) !== undefined) all.get(change.by)?.push(change)
  return [...all].flatMap(([by, own]) => {
    const rendered = own.flatMap(({ after }) => (after === undefined ? [] : [after.object]))
    const now = once(() => renderedNow(rendered, by, fleets))
    const subject = by.subject.object
    const computed = new Set(by.account.flatMap((line) => (line.kind === 'containers' ? line.variables : [])))
    return own.flatMap((change) => {
      const item = change.after ?? change.before
      if (item === undefined || change.kind === 'unchanged') return []
      const who = describe(item.object)
      if (change.kind === 'added')
        return [finding('GroupAdded', `${who} is new: there was none for ${change.about}`, { subject })]
      if (change.kind === 'removed')
        return [finding('GroupRemoved', `${who} is removed: ${whyRemoved(item.object, by, now())}`, { subject })]
      return [finding('GroupChanged', `${who} changed: ${fieldsText(change, computed)}`, { subject })]
    })
  })
}

/** The fields that differ: what is in the pods before what only nodefit reads, and those with their values first. */
function fieldsText({ fields, before, after }: Change, computed: ReadonlySet<string>): string {
  if (before === undefined) return 'its Tickets are not those of before'
  const objects = [before, after].flatMap((item) => (item === undefined ? [] : [item.object]))
  const { lists, others } = takeValueLists(fields, before?.object, after?.object)
  const texts = [...lists, ...others.map((field) => ({ path: field.path, text: fieldText(field, objects, computed) }))]
  const rank = ({ path, text }: { path: string; text: string }) =>
    Number(!path.startsWith('spec.')) * 2 + Number(text === path)
  return listNames(texts.sort((a, b) => rank(a) - rank(b)).map(({ text }) => text))
}

function groupOf({ after, before }: Change): string | undefined {
  return (after ?? before)?.object.metadata.annotations?.[GROUP]
}
