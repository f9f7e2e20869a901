import { type Finding, listNames } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { isFieldsDocument, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { indexBy, type Planned, type World } from '../world/index.ts'
import { CHANGE_CODES, finding } from './codes.ts'

/**
 * Returns nodefit's objects that no subject of their package claims, in the package or in earlier output that was given
 * separately. If the package holds output of an owner, only that counts.
 */
export function orphansOf(planned: readonly Planned[], { items, earlierOutput }: World): Item[] {
  const claimed = new Set(planned.flatMap(({ earlier }) => earlier))
  const own = items.filter(({ object }) => ownerOf(object) !== undefined && !isFieldsDocument(object))
  const here = new Set([undefined, ...own.map(({ object }) => ownerOf(object))])
  const apart = earlierOutput.filter(({ object }) => !here.has(ownerOf(object)) && !isFieldsDocument(object))
  return [...own, ...apart].filter((item) => !claimed.has(item))
}

/** A policy keeps its output under another name, but not in another namespace. */
const MOVED_MEND =
  'Move the policy back to the namespace of these objects; or, if it was moved on purpose, allow OrphanedOutput in this run to remove them.'

/**
 * Reports what happened to the owners: they are gone, or they render to another namespace now. Combines owners that
 * have the same mend.
 */
export function orphanFindings(
  orphans: readonly Item[],
  planned: readonly Planned[],
  { items, planners }: World,
): Finding[] {
  if (orphans.length === 0) return []
  const subjects = indexBy(planned, ({ subject: { object } }) => ownerName(object.kind, object.metadata.name))
  const present = new Set(items.map(({ object }) => ownerName(object.kind, object.metadata.name)))
  const mendOf = (owner: string) => {
    const mend = planners.orphanMend(owner.split('/')[0] ?? '')
    if (mend !== undefined) return mend
    return subjects.has(owner) || present.has(owner) ? MOVED_MEND : CHANGE_CODES.OrphanedOutput.mend
  }
  const byMend = indexBy(orphans, ({ object }) => mendOf(ownerOf(object) ?? ''))
  return [...byMend].map(([mend, own]) => {
    const names = listNames(own.map(({ object }) => describe(object)).sort())
    const sentence = `${names} belong to ${ownersText(own, subjects, present)}`
    return finding('OrphanedOutput', sentence, { subject: own[0]?.object, mend })
  })
}

/** Formats the owners, and what happened to each. */
function ownersText(
  orphans: readonly Item[],
  subjects: ReadonlyMap<string, readonly Planned[]>,
  present: ReadonlySet<string>,
): string {
  const owners = [...new Set(orphans.map(({ object }) => ownerOf(object) ?? ''))].sort()
  const absent = owners.filter((owner) => !subjects.has(owner) && !present.has(owner))
  const idle = owners.filter((owner) => !subjects.has(owner) && present.has(owner))
  const moved = owners.filter((owner) => subjects.has(owner))
  const why = [
    ...(absent.length > 0 ? [`${absent.join(', ')}, which is not in the package`] : []),
    ...(idle.length > 0 ? [`${idle.join(', ')}, which renders nothing there now`] : []),
    ...moved.map((owner) => `${owner}, which now renders to ${namespacesOf(subjects.get(owner) ?? [])}`),
  ]
  return why.join(', and ')
}

function namespacesOf(planned: readonly Planned[]): string {
  const found = planned.flatMap(({ objects, subject, source }) => {
    const [first] = objects
    return first?.object.metadata.namespace ?? subject.object.metadata.namespace ?? source?.object.metadata.namespace
  })
  const named = [...new Set(found.filter((namespace) => namespace !== undefined))]
  return named.length === 0 ? 'no namespace' : `namespace ${named.join(' and ')}`
}
