import { type Finding, listNames } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { ownerName, ownerOf } from '../krm/ownership.ts'
import type { Item } from '../krm/types.ts'
import { indexBy, type Planned, type World } from '../world/index.ts'
import { finding } from './codes.ts'

/**
 * Objects of ours that no subject of their package claims, in the package or in the earlier output that was given apart. Of an owner
 * whose output stands in the package, that counts alone.
 */
export function orphansOf(planned: readonly Planned[], { items, past }: World): Item[] {
  const claimed = new Set(planned.flatMap(({ earlier }) => earlier))
  const own = items.filter(({ object }) => ownerOf(object) !== undefined)
  const here = new Set([undefined, ...own.map(({ object }) => ownerOf(object))])
  const apart = past.filter(({ object }) => !here.has(ownerOf(object)))
  return [...own, ...apart].filter((item) => !claimed.has(item))
}

/** What has no former names: each has Tickets of its own. */
const ORDER_MEND =
  'Bring it back; or allow OrphanedOutput in this run to remove them, which is right where it was deleted, renamed or given another namespace. Moved to another package it takes their files along: docs/reservations.md.'

/** Says what became of the owner: it is gone, or it renders to another namespace now. */
export function orphanFindings(orphans: readonly Item[], planned: readonly Planned[], { items }: World): Finding[] {
  const [first] = orphans
  if (first === undefined) return []
  const subjects = indexBy(planned, ({ subject: { object } }) => ownerName(object.kind, object.metadata.name))
  const owners = [...new Set(orphans.map(({ object }) => ownerOf(object) ?? ''))].sort()
  const present = new Set(items.map(({ object }) => ownerName(object.kind, object.metadata.name)))
  const absent = owners.filter((owner) => !subjects.has(owner) && !present.has(owner))
  const idle = owners.filter((owner) => !subjects.has(owner) && present.has(owner))
  const moved = owners.filter((owner) => subjects.has(owner))
  const why = [
    ...(absent.length > 0 ? [`${absent.join(', ')}, which is not in the package`] : []),
    ...(idle.length > 0 ? [`${idle.join(', ')}, from which nothing is rendered there now`] : []),
    ...moved.map((owner) => `${owner}, which renders to ${namespacesOf(subjects.get(owner) ?? [])} now`),
  ]
  const names = listNames(orphans.map(({ object }) => describe(object)).sort())
  const sentence = `${names} belong to ${why.join(', and ')}`
  const mend = owners.every((owner) => !owner.startsWith('SizingPolicy/')) ? ORDER_MEND : undefined
  return [finding('OrphanedOutput', sentence, { subject: first.object, mend })]
}

function namespacesOf(planned: readonly Planned[]): string {
  const found = planned.flatMap(({ objects, subject, source }) => {
    const [first] = objects
    return first?.object.metadata.namespace ?? subject.object.metadata.namespace ?? source?.object.metadata.namespace
  })
  const named = [...new Set(found.filter((namespace) => namespace !== undefined))]
  return named.length === 0 ? 'no namespace' : `namespace ${named.join(' and ')}`
}
