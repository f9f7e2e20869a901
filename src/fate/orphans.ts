import { indexBy, type Planned, type World } from '../core/index.ts'
import { type Finding, listNames } from '../krm/finding/index.ts'
import { describe } from '../krm/identity.ts'
import { isFieldsDocument, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
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

/**
 * Reports what happened to the owners: they are gone, they render nothing there now, or they render to another
 * namespace now. Combines owners that have the same mend. An owner that moved is told apart from one that is gone, so
 * that whoever allows the one does not allow the other.
 */
export function orphanFindings(
  orphans: readonly Item[],
  planned: readonly Planned[],
  { items, planners }: World,
): Finding[] {
  const subjects = indexBy(planned, ({ subject: { object } }) => ownerName(object.kind, object.metadata.name))
  const present = new Set(items.map(({ object }) => ownerName(object.kind, object.metadata.name)))
  const isMoved = ({ object }: Item) => subjects.has(ownerOf(object) ?? '')
  const left = orphans.filter((item) => !isMoved(item))
  const byMend = indexBy(left, ({ object }) => {
    const owner = ownerOf(object) ?? ''
    const usual = present.has(owner) ? IDLE_MEND : CHANGE_CODES.OrphanedOutput.mend
    return planners.orphanMend(owner.split('/')[0] ?? '') ?? usual
  })
  const byOwner = indexBy(orphans.filter(isMoved), ({ object }) => ownerOf(object) ?? '')
  return [
    ...[...byOwner].map(([owner, own]) => movedFinding(owner, own, subjects.get(owner) ?? [])),
    ...[...byMend].map(([mend, own]) => {
      const sentence = `${namesOf(own)} ${belong(own)} to ${ownersText(own, present)}`
      return finding('OrphanedOutput', sentence, { subject: own[0]?.object, mend })
    }),
  ]
}

const IDLE_MEND = 'Let its owner render it again, or remove the owner’s objects from their files by hand.'

function movedFinding(owner: string, own: readonly Item[], planned: readonly Planned[]): Finding {
  const sentence = `${namesOf(own)} ${belong(own)} to ${owner}, which now renders to ${namespacesOf(planned)}`
  return finding('PolicyMoved', sentence, { subject: own[0]?.object })
}

function namesOf(items: readonly Item[]): string {
  return listNames(items.map(({ object }) => describe(object)).sort())
}

function belong({ length }: readonly Item[]): string {
  return length === 1 ? 'belongs' : 'belong'
}

/** Formats the owners, and what happened to each. */
function ownersText(orphans: readonly Item[], present: ReadonlySet<string>): string {
  const owners = [...new Set(orphans.map(({ object }) => ownerOf(object) ?? ''))].sort()
  const absent = owners.filter((owner) => !present.has(owner))
  const idle = owners.filter((owner) => present.has(owner))
  const why = [
    ...(absent.length > 0 ? [`${absent.join(', ')}, which is not in the package`] : []),
    ...(idle.length > 0 ? [`${idle.join(', ')}, which renders nothing there now`] : []),
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
