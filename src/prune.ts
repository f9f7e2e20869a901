import { addedFinding, changedFinding, foreignFinding, removedFinding } from './changes.ts'
import { type Finding, finding } from './finding/index.ts'
import { handOver } from './hand-over.ts'
import { describe, identityOf } from './krm/identity.ts'
import type { Item } from './krm/types.ts'
import type { PolicyPlan } from './plan-policy.ts'
import {
  isInput,
  isResource,
  markInput,
  orphanFinding,
  orphans,
  Places,
  type Scope,
  updateInPlace,
} from './scope/index.ts'

/** What happens to the items of a package. */
export interface Outcome {
  readonly added: readonly Item[]
  readonly replaced: ReadonlyMap<Item, Item>
  readonly removed: readonly Item[]
  /** Counts of each policy's objects, by the policy's plan. */
  readonly counts: ReadonlyMap<PolicyPlan, Counts>
  readonly findings: readonly Finding[]
}

export interface Counts {
  added: number
  changed: number
  removed: number
  unchanged: number
}

/**
 * Holds what the policies rendered against what is there: own objects are updated in place, those no longer
 * rendered removed, foreign ones with a name that is needed are an error. With `everyPolicy` objects that no policy
 * claims are orphans.
 */
export function pruneScope(scope: Scope, policies: readonly PolicyPlan[], everyPolicy: boolean): Outcome {
  const outcome = {
    added: [] as Item[],
    replaced: new Map<Item, Item>(),
    removed: [] as Item[],
    counts: new Map<PolicyPlan, Counts>(),
    findings: [] as Finding[],
  }
  if (policies.length === 0 && !everyPolicy) return outcome
  const left = everyPolicy ? orphans(scope, new Set(policies.flatMap(({ earlier }) => earlier))) : []
  if (left.length > 0) outcome.findings.push(orphanFinding(left))
  outcome.removed.push(...left)
  const standing = scope.items.filter((item) => !left.includes(item))
  const places = new Places(scope.items)
  for (const policy of policies) prunePolicy(policy, scope, standing, places, outcome)
  handOver(scope, policies, everyPolicy, outcome)
  const isMarked = policies.length > 0 ? isInput : isResource
  for (const item of scope.items) if (isMarked(item.object)) outcome.replaced.set(item, markInput(item))
  return outcome
}

interface Draft {
  added: Item[]
  replaced: Map<Item, Item>
  removed: Item[]
  counts: Map<PolicyPlan, Counts>
  findings: Finding[]
}

/** `standing` are the items that could be in the way: orphans are not, since they are an error of their own or go. */
function prunePolicy(policy: PolicyPlan, scope: Scope, standing: readonly Item[], places: Places, draft: Draft): void {
  const { settings, template, groups } = policy
  const counts: Counts = { added: 0, changed: 0, removed: 0, unchanged: 0 }
  draft.counts.set(policy, counts)
  const present = policy.earlier.filter((item) => scope.items.includes(item))
  const own = new Map<string, Item>()
  for (const item of present) {
    const twin = own.get(identityOf(item.object))
    if (twin !== undefined)
      draft.findings.push(
        finding('DuplicateOutput', `${describe(item.object)} is in the package twice`, { subject: item.object }),
      )
    own.set(identityOf(item.object), item)
  }
  const others = new Map(
    standing.filter((item) => !present.includes(item)).map((item) => [identityOf(item.object), item]),
  )
  const neighbour =
    scope.policies.find(({ subject }) => subject === settings.subject || sameName(subject, settings.subject))?.item ??
    template?.item
  for (const { daemonSet, group } of [...groups].sort((a, b) => (a.name.name < b.name.name ? -1 : 1))) {
    const identity = identityOf(daemonSet)
    const foreign = others.get(identity) ?? draft.added.find(({ object }) => identityOf(object) === identity)
    if (foreign !== undefined) draft.findings.push(foreignFinding(foreign, settings.subject.metadata.name))
    const item = own.get(identity)
    if (item !== undefined) {
      const updated = updateInPlace(item, daemonSet)
      draft.replaced.set(item, updated)
      counts[updated === item ? 'unchanged' : 'changed']++
      if (updated !== item) draft.findings.push(changedFinding(item, daemonSet, settings.subject))
      own.delete(identity)
    } else {
      counts.added++
      draft.findings.push(addedFinding(daemonSet, group.id, settings.subject))
      draft.added.push(
        neighbour === undefined ? { object: daemonSet } : places.put(daemonSet, neighbour, settings.baseName),
      )
    }
  }
  counts.removed = own.size
  draft.findings.push(...[...own.values()].map((item) => removedFinding(item, settings)))
  draft.removed.push(...own.values())
}

function sameName(
  left: { metadata: { name: string; namespace?: string } },
  right: { metadata: { name: string; namespace?: string } },
): boolean {
  return left.metadata.name === right.metadata.name && left.metadata.namespace === right.metadata.namespace
}
