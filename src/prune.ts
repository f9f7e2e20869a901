import { type Finding, finding } from './finding/index.ts'
import { describe, identityOf } from './krm/identity.ts'
import { ownerOf } from './krm/ownership.ts'
import type { Item } from './krm/types.ts'
import type { PolicyPlan } from './plan-policy.ts'
import {
  isInput,
  isResource,
  markInput,
  markTemplate,
  orphanFinding,
  orphans,
  Places,
  releaseTemplate,
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
  markTemplates(scope, policies, everyPolicy, outcome)
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
  for (const { daemonSet } of [...groups].sort((a, b) => (a.name.name < b.name.name ? -1 : 1))) {
    const identity = identityOf(daemonSet)
    const foreign = others.get(identity) ?? draft.added.find(({ object }) => identityOf(object) === identity)
    if (foreign !== undefined) draft.findings.push(foreignFinding(foreign, settings.subject.metadata.name))
    const item = own.get(identity)
    if (item !== undefined) {
      const updated = updateInPlace(item, daemonSet)
      draft.replaced.set(item, updated)
      counts[updated === item ? 'unchanged' : 'changed']++
      own.delete(identity)
    } else {
      counts.added++
      draft.added.push(
        neighbour === undefined ? { object: daemonSet } : places.put(daemonSet, neighbour, settings.target.name),
      )
    }
  }
  counts.removed = own.size
  draft.removed.push(...own.values())
}

/**
 * Marks what an enabled policy renders from, and hands back what none does any more: the target of a disabled policy, and
 * with every policy in scope any template whose policy is gone.
 */
function markTemplates(scope: Scope, policies: readonly PolicyPlan[], everyPolicy: boolean, draft: Draft): void {
  const used = new Set(policies.filter(({ settings }) => settings.enabled).map(({ template }) => template?.item))
  const left = new Set(policies.filter(({ settings }) => !settings.enabled).map(({ template }) => template?.item))
  for (const item of scope.items) {
    const subject = item.object
    if (used.has(item)) {
      const { item: marked, retired } = markTemplate(item)
      draft.replaced.set(item, marked)
      if (retired)
        draft.findings.push(
          finding('StaticTemplateRetired', `${describe(subject)} is now a template and no longer applied itself`, {
            subject,
          }),
        )
    } else if (left.has(item) || (everyPolicy && ownerOf(subject) === undefined)) {
      const { item: free, released } = releaseTemplate(item)
      if (free !== item) draft.replaced.set(item, free)
      if (released)
        draft.findings.push(
          finding('TemplateReleased', `${describe(subject)} is no policy's template any more, and is applied again`, {
            subject,
          }),
        )
    }
  }
}

function foreignFinding(foreign: Item, policy: string): Finding {
  const owner = ownerOf(foreign.object)
  const who = owner === undefined ? 'is not rendered by nodefit' : `is owned by ${owner}`
  return finding('ForeignObject', `${policy} needs the name of ${describe(foreign.object)}, which ${who}`, {
    subject: foreign.object,
  })
}

function sameName(
  left: { metadata: { name: string; namespace?: string } },
  right: { metadata: { name: string; namespace?: string } },
): boolean {
  return left.metadata.name === right.metadata.name && left.metadata.namespace === right.metadata.namespace
}
