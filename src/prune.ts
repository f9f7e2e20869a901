import { addedFinding, changedFinding, foreignFinding, removedFinding } from './changes.ts'
import { type Finding, finding, type Subject } from './finding/index.ts'
import { handOver } from './hand-over.ts'
import { describe, identityOf } from './krm/identity.ts'
import type { Item, KubernetesObject } from './krm/types.ts'
import type { Rendering } from './rendering.ts'
import { isDaemonOrder } from './reservation/index.ts'
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
  /** Counts of the objects of each policy and Order, by what it renders. */
  readonly counts: ReadonlyMap<Rendering, Counts>
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
export function pruneScope(scope: Scope, renderings: readonly Rendering[], everyPolicy: boolean): Outcome {
  const outcome: Draft = {
    added: [],
    addedBy: new Map(),
    replaced: new Map(),
    removed: [],
    counts: new Map(),
    findings: [],
  }
  if (renderings.length === 0 && !everyPolicy) return markOrders(scope, outcome)
  const left = everyPolicy ? orphans(scope, new Set(renderings.flatMap(({ earlier }) => earlier))) : []
  if (left.length > 0) outcome.findings.push(orphanFinding(left))
  outcome.removed.push(...left)
  const gone = new Set(left)
  const standing = scope.items.filter((item) => !gone.has(item))
  const places = new Places(scope.items)
  for (const rendering of renderings) prune(rendering, scope, standing, places, outcome)
  handOver(scope, renderings, everyPolicy, outcome)
  const isMarked = renderings.length > 0 ? isInput : isResource
  for (const item of scope.items) if (isMarked(item.object)) outcome.replaced.set(item, markInput(item))
  return markOrders(scope, outcome)
}

interface Draft {
  added: Item[]
  addedBy: Map<string, Item>
  replaced: Map<Item, Item>
  removed: Item[]
  counts: Map<Rendering, Counts>
  findings: Finding[]
}

/** An Order in DaemonSet mode never reaches the cluster, whoever renders: korder would make Tickets of its own. */
function markOrders({ items }: Scope, draft: Draft): Draft {
  for (const item of items) {
    const now = draft.replaced.get(item) ?? item
    if (isDaemonOrder(now.object)) draft.replaced.set(item, markInput(now))
  }
  return draft
}

/** `standing` are the items that could be in the way: orphans are not, since they are an error of their own or go. */
function prune(rendering: Rendering, scope: Scope, standing: readonly Item[], places: Places, draft: Draft): void {
  const { subject, template, objects } = rendering
  const counts: Counts = { added: 0, changed: 0, removed: 0, unchanged: 0 }
  draft.counts.set(rendering, counts)
  const here = new Set(scope.items)
  const present = new Set(rendering.earlier.filter((item) => here.has(item)))
  const own = new Map<string, Item>()
  for (const item of present) {
    const twin = own.get(identityOf(item.object))
    if (twin !== undefined)
      draft.findings.push(
        finding('DuplicateOutput', `${describe(item.object)} is in the package twice`, { subject: item.object }),
      )
    own.set(identityOf(item.object), item)
  }
  const others = new Map(standing.filter((item) => !present.has(item)).map((item) => [identityOf(item.object), item]))
  const neighbour =
    [...scope.policies, ...scope.orders].find((source) => isSameSource(source.subject, subject))?.item ?? template
  const sorted = [...objects].sort((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1))
  for (const { object, file, about } of sorted) {
    const identity = identityOf(object)
    const foreign = others.get(identity) ?? draft.addedBy.get(identity)
    if (foreign !== undefined) draft.findings.push(foreignFinding(foreign, subject.metadata.name))
    const item = own.get(identity)
    if (item !== undefined) {
      const updated = updateInPlace(item, object)
      draft.replaced.set(item, updated)
      counts[updated === item ? 'unchanged' : 'changed']++
      if (updated !== item && isSaid(object)) draft.findings.push(changedFinding(item, object, subject))
      own.delete(identity)
    } else {
      counts.added++
      if (isSaid(object)) draft.findings.push(addedFinding(object, about, subject))
      const made = neighbour === undefined ? { object } : places.put(object, neighbour, file)
      draft.added.push(made)
      draft.addedBy.set(identity, made)
    }
  }
  counts.removed = own.size
  const gone = [...own.values()].filter(({ object }) => isSaid(object))
  draft.findings.push(...gone.map((item) => removedFinding(item, rendering)))
  draft.removed.push(...own.values())
}

/** Groups are said one by one; of Tickets there are too many. */
function isSaid({ kind }: KubernetesObject): boolean {
  return kind !== 'Ticket'
}

function isSameSource(left: Subject, right: Subject): boolean {
  return (
    left === right ||
    (left.kind === right.kind &&
      left.metadata.name === right.metadata.name &&
      left.metadata.namespace === right.metadata.namespace)
  )
}
