/** What is said of one rendered object: that it is new, changed or removed, and why. */

import { type Finding, listNames } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { listOf, memberOf } from '../krm/map.ts'
import { GROUP } from '../krm/ownership.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { Planned } from '../world/index.ts'
import type { Change } from './change.ts'
import { finding } from './codes.ts'
import { fieldText } from './field-text.ts'
import { takeValueLists } from './value-lists.ts'

/** Groups are said one by one; of Tickets there are too many. */
export function changeFindings(planned: readonly Planned[], changes: readonly Change[]): Finding[] {
  const all = new Map(planned.map((by) => [by, [] as Change[]]))
  for (const change of changes)
    if (change.by !== undefined && groupOf(change) !== undefined) all.get(change.by)?.push(change)
  return [...all].flatMap(([by, own]) => {
    const rendered = own.filter(({ after }) => after !== undefined)
    const now = {
      names: new Map(rendered.map((change) => [groupOf(change), change.after?.object.metadata.name])),
      keys: new Set(rendered.flatMap(({ after }) => (after === undefined ? [] : placementKeys(after.object)))),
    }
    const subject = by.subject.object
    const computed = new Set(by.account.flatMap((line) => (line.kind === 'containers' ? line.variables : [])))
    return own.flatMap((change) => {
      const item = change.after ?? change.before
      if (item === undefined || change.kind === 'unchanged') return []
      const who = describe(item.object)
      if (change.kind === 'added')
        return [finding('GroupAdded', `${who} is new: there was none for ${change.about}`, { subject })]
      if (change.kind === 'removed')
        return [finding('GroupRemoved', `${who} is removed: ${whyRemoved(change, by, now)}`, { subject })]
      return [finding('GroupChanged', `${who} changed: ${fieldsText(change, computed)}`, { subject })]
    })
  })
}

/** The fields that differ: what is in the pods before what only nodefit reads, and those with their values first. */
function fieldsText({ fields, before, after }: Change, computed: ReadonlySet<string>): string {
  const objects = [before, after].flatMap((item) => (item === undefined ? [] : [item.object]))
  const { lists, others } = takeValueLists(fields, before?.object, after?.object)
  const texts = [...lists, ...others.map((field) => ({ path: field.path, text: fieldText(field, objects, computed) }))]
  const rank = ({ path, text }: { path: string; text: string }) =>
    Number(!path.startsWith('spec.')) * 2 + Number(text === path)
  return listNames(texts.sort((a, b) => rank(a) - rank(b)).map(({ text }) => text))
}

/** What is rendered now: the name of each group, and the label keys by which nodes are chosen. */
interface RenderedNow {
  readonly names: ReadonlyMap<string | undefined, string | undefined>
  readonly keys: ReadonlySet<string>
}

/** The policy is disabled, the group has another name or is made by other labels, or there is nothing to render it for. */
function whyRemoved(change: Change, { isEnabled }: Planned, { names, keys }: RenderedNow): string {
  if (!isEnabled) return 'the policy is disabled'
  const group = groupOf(change)
  const name = names.get(group)
  if (name !== undefined) return `${group} is called ${name} now`
  const lost = change.before === undefined ? [] : placementKeys(change.before.object).filter((key) => !keys.has(key))
  if (keys.size > 0 && lost.length > 0) return `nodes are no longer grouped by ${listNames(lost)}`
  return `there is no node or shape for ${group} any more`
}

/** The label keys by which a rendered object chooses its nodes, whatever a user made of it. */
function placementKeys({ spec }: KubernetesObject): string[] {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  const required = memberOf(
    memberOf(memberOf(pod, 'affinity'), 'nodeAffinity'),
    'requiredDuringSchedulingIgnoredDuringExecution',
  )
  const terms = listOf(memberOf(required, 'nodeSelectorTerms'))
  const keys = terms.flatMap((term) => listOf(memberOf(term, 'matchExpressions')).map((one) => memberOf(one, 'key')))
  const selected = Object.keys((memberOf(pod, 'nodeSelector') as object | null | undefined) ?? {})
  return [...new Set([...selected, ...keys.map(String)])]
}

function groupOf({ after, before }: Change): string | undefined {
  return (after ?? before)?.object.metadata.annotations?.[GROUP]
}
