import { type Finding, finding, listNames } from '../finding/index.ts'
import { SELECTED } from '../krm/annotation.ts'
import { describe } from '../krm/identity.ts'
import { GROUP, ownerName, ownerOf } from '../krm/ownership.ts'
import type { Item } from '../krm/types.ts'
import { isLabelValue } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import type { GroupName } from '../sizing/index.ts'
import type { Scope } from './scope.ts'

/** What a policy rendered before: objects that carry its name, or a former one, in the namespace it renders to. */
export function ownedBy(
  { subject, formerNames }: SizingSettings,
  items: readonly Item[],
  namespace: string | undefined,
): Item[] {
  const owners = [subject.metadata.name, ...formerNames].map((name) => ownerName('SizingPolicy', name))
  return items.filter(
    ({ object }) => owners.includes(ownerOf(object) ?? '') && (object.metadata.namespace ?? '') === (namespace ?? ''),
  )
}

/** The names of groups as they were rendered before. */
export function earlierNames(items: readonly Item[], nodeGroupKey: string): Map<string, GroupName> {
  const names = new Map<string, GroupName>()
  for (const { object } of items) {
    const id = object.metadata.annotations?.[GROUP]
    const label: unknown = object.metadata.labels?.[nodeGroupKey]
    const name: unknown = object.metadata.name
    if (typeof id !== 'string' || typeof name !== 'string' || names.has(id)) continue
    names.set(id, { name, label: typeof label === 'string' && isLabelValue(label) ? label : '' })
  }
  return names
}

/** Objects of ours that no policy of their package claims. */
export function orphans(scope: Scope, claimed: ReadonlySet<Item>): Item[] {
  return scope.items.filter((item) => ownerOf(item.object) !== undefined && !claimed.has(item))
}

export function orphanFinding(items: readonly Item[]): Finding {
  const owners = [...new Set(items.map(({ object }) => ownerOf(object) ?? ''))].sort()
  const names = listNames(items.map(({ object }) => describe(object)).sort())
  return finding('OrphanedOutput', `${names} belong to ${owners.join(', ')}, which is not in the package`, {
    subject: items[0]?.object,
  })
}

/** A host that numbers the items it selected shows only a part of the package. */
export function selectorsInUse(items: readonly Item[]): Finding[] {
  const selected = items.find(({ object }) => SELECTED.some((key) => object.metadata.annotations?.[key] !== undefined))
  return selected === undefined ? [] : [finding('SelectorsInUse', 'the function is given a selection of the package')]
}
