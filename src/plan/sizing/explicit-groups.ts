import { indexBy } from '../../core/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import type { Labels, NodeSelectorRequirement, NodeSelectorTerm } from '../../kube/index.ts'
import { meetsRequirement } from '../../kube/requirements.ts'
import { carries, type Group } from './group.ts'
import type { Member } from './membership.ts'
import { sanitize } from './names.ts'
import type { Placement } from './placement.ts'
import { allOf, and, anyOf, requiredTerms, type Terms } from './terms.ts'

/** Explicit groups, and the terms that exclude their nodes from later groups. */

/**
 * The explicit groups of a policy in its order, and the members that are in none. The first group whose nodeSelector
 * matches has the node. A group without nodes is kept: its pool may be scaled to zero, and later groups exclude it.
 */
export function explicitGroups(
  members: readonly Member[],
  { explicitGroups: groups }: SizingSettings,
): { groups: Draft[]; rest: Member[] } {
  const owners = members.map(({ shape }) => groups.findIndex(({ nodeSelector }) => carries(shape.labels, nodeSelector)))
  const membersOf = (index: number) => members.filter((_, at) => owners[at] === index)
  const drafts = groups.map(({ name, nodeSelector, ...rule }, index): Draft => {
    const id = explicitId(name)
    const members = membersOf(index)
    return {
      kind: 'explicit',
      id,
      namePart: sanitize(name),
      aliases: [name],
      nodeSelector,
      requirements: [],
      rule,
      members,
    }
  })
  return { groups: drafts, rest: membersOf(-1) }
}

/** The identity of an explicit group. */
export function explicitId(name: string): string {
  return `group:${name}`
}

type Facts = readonly NodeSelectorRequirement[]

/** Requirements that every node of a placement meets: its nodeSelector, and required affinity of a single term. */
export function placementFacts({ nodeSelector, affinity }: Pick<Placement, 'nodeSelector' | 'affinity'>): Facts {
  const [term, another] = requiredTerms(affinity) ?? []
  return [...selectorFacts(nodeSelector), ...(another === undefined ? (term?.matchExpressions ?? []) : [])]
}

/** A nodeSelector as requirements. */
function selectorFacts(nodeSelector: Labels): NodeSelectorRequirement[] {
  return Object.entries(nodeSelector).map(([key, value]) => ({ key, operator: 'In', values: [value] }))
}

/** The most terms by which explicit groups are excluded one by one. More are divided by the values of their labels. */
const MOST_EXPANDED = 64

/**
 * Terms that exclude the nodes of some nodeSelectors; `facts` hold on every node in question. A selector of one label
 * becomes a `NotIn`; one of several labels needs a term for each label that the facts leave open (DESIGN, "Which
 * nodes"). Where that gives more than 64 terms, or more than `most`, selectors that share a label key are excluded
 * value by value (`dividedTerms`).
 */
function excluding(selectors: readonly Labels[], facts: Facts, most = MOST_EXPANDED): Terms {
  const open = openPairs(selectors, facts)
  if (countExpanded(open) > Math.min(most, MOST_EXPANDED)) return dividedTerms(open, Infinity)
  const single = open.filter(({ length }) => length === 1).flat()
  const several = open.filter(({ length }) => length > 1)
  return several.reduce<Terms>((terms, pairs) => and(terms, anyOf(pairs.map(isNot))), allOf(single.map(isNot)))
}

/** The number of terms that `excluding` gives; Infinity for more than `limit`. */
export function countExclusions(
  selectors: readonly Labels[],
  facts: Facts,
  { most = MOST_EXPANDED, limit = Infinity }: { most?: number; limit?: number } = {},
): number {
  const open = openPairs(selectors, facts)
  const count = countExpanded(open)
  return count <= Math.min(most, MOST_EXPANDED) ? count : (dividedTerms(open, limit)?.length ?? Infinity)
}

function countExpanded(open: ReadonlyArray<readonly Pair[]>): number {
  return open.reduce((count, { length }) => count * length, 1)
}

/**
 * The labels of each selector that the facts leave open. Selectors that the facts rule out or that another covers are
 * left out.
 */
function openPairs(selectors: readonly Labels[], facts: Facts): Array<readonly Pair[]> {
  const open = selectors.flatMap((selector) => {
    const pairs: Pair[] = Object.entries(selector).sort()
    if (pairs.some((pair) => isRuledOut(pair, facts))) return []
    const left = pairs.filter((pair) => !isImplied(pair, facts))
    // facts that imply the whole selector leave no node: one label is enough
    return [left.length > 0 ? left : pairs.slice(0, 1)]
  })
  return open.filter((pairs, index) => !open.some((other, at) => at !== index && covers(other, pairs, at < index)))
}

function isRuledOut([key, value]: Pair, facts: Facts): boolean {
  return facts.some((fact) => fact.key === key && !meetsRequirement(fact, { [key]: value }))
}

function isImplied([key, value]: Pair, facts: Facts): boolean {
  return facts.some(
    (fact) => fact.key === key && fact.operator === 'In' && fact.values?.length === 1 && fact.values[0] === value,
  )
}

function isNot([key, value]: Pair): NodeSelectorRequirement {
  return { key, operator: 'NotIn', values: [value] }
}

/** A group before the nodes of earlier explicit groups are excluded from it. */
export interface Draft extends Omit<Group, 'terms'> {
  /** Requirements besides its nodeSelector, in the order in which they are written. */
  readonly requirements: readonly NodeSelectorRequirement[]
}

/**
 * The group of a draft: the terms are its requirements first, then those that exclude the nodes of `earlier` explicit
 * groups in the order of the policy. `facts` hold on every node of the policy, `most` is as in `excluding`. A change of
 * this order restarts every pod.
 */
export function groupFromDraft(
  { requirements, ...group }: Draft,
  earlier: readonly Labels[],
  facts: readonly NodeSelectorRequirement[],
  most?: number,
): Group {
  const known = [...facts, ...selectorFacts(group.nodeSelector), ...requirements]
  return { ...group, terms: and(allOf(requirements), excluding(earlier, known, most)) }
}

/** A label of a selector. */
type Pair = readonly [key: string, value: string]

/** What a term requires of each label: one of some values, or none of some. */
type Bounds = ReadonlyMap<string, { readonly isIn: boolean; readonly values: readonly string[] }>

/**
 * Disjoint terms that exclude the nodes of some selectors, each a list of labels: the nodes are divided by the values
 * of the label key that most selectors share, and each part by the labels that are left there. n selectors of the same
 * two keys need at most n + 1 terms; selectors without a common key as many as one by one. Undefined for more than
 * `limit` terms.
 */
export function dividedTerms(selectors: ReadonlyArray<readonly Pair[]>, limit: number): NodeSelectorTerm[] | undefined {
  const parts = divide(selectors, new Map(), limit)
  return parts?.map((bounds) => ({ matchExpressions: [...bounds].sort(byKey).map(requirementOf) }))
}

function divide(all: ReadonlyArray<readonly Pair[]>, above: Bounds, limit: number): Bounds[] | undefined {
  const selectors = all.filter((pairs, index) => {
    return !all.some((other, at) => at !== index && covers(other, pairs, at < index))
  })
  const several = selectors.filter(({ length }) => length > 1)
  const bounds = without(above, selectors.filter(({ length }) => length === 1).flat())
  const key = sharedKey(several)
  if (key === undefined) return limit < 1 ? undefined : [bounds]
  const apart = several.filter((pairs) => pairs.every(([own]) => own !== key))
  const having = several.flatMap((pairs) => pairs.filter(([own]) => own === key).map(([, value]) => ({ value, pairs })))
  const values = [...indexBy(having, ({ value }) => value)].sort(byKey)
  // values with the same labels left are one part
  const alike = indexBy(
    values.map(([value, own]) => ({ value, rest: own.map(({ pairs }) => pairs.filter(([other]) => other !== key)) })),
    ({ rest }) => JSON.stringify([...rest].sort()),
  )
  const parts = [...alike.values()].map((same) => ({
    isIn: true,
    values: same.map(({ value }) => value),
    selectors: [...(same[0]?.rest ?? []), ...apart],
  }))
  const others = { isIn: false, values: values.map(([value]) => value), selectors: apart }
  let found: Bounds[] = []
  for (const { isIn, values: own, selectors: left } of [...parts, others]) {
    const inside = isIn
      ? new Map([...bounds, [key, { isIn, values: own }] as const])
      : without(
          bounds,
          own.map((value) => [key, value] as const),
        )
    const more = divide(left, inside, limit - found.length)
    if (more === undefined) return undefined
    found = [...found, ...more]
  }
  return found
}

/** The bounds with some values of labels excluded. */
function without(bounds: Bounds, pairs: readonly Pair[]): Bounds {
  const next = new Map(bounds)
  for (const [key, value] of pairs) {
    const { isIn = false, values = [] } = next.get(key) ?? {}
    if (!isIn) next.set(key, { isIn, values: [...new Set([...values, value])].sort() })
  }
  return next
}

/** The key in most selectors, of equal ones that with the fewest values; undefined without selectors. */
function sharedKey(selectors: ReadonlyArray<readonly Pair[]>): string | undefined {
  const uses = [...indexBy(selectors.flat(), ([key]) => key)].map(([key, pairs]) => {
    return { key, count: pairs.length, values: new Set(pairs.map(([, value]) => value)).size }
  })
  const [first] = uses.sort((a, b) => b.count - a.count || a.values - b.values || (a.key < b.key ? -1 : 1))
  return first?.key
}

function requirementOf([key, { isIn, values }]: readonly [
  string,
  { readonly isIn: boolean; readonly values: readonly string[] },
]): NodeSelectorRequirement {
  return { key, operator: isIn ? 'In' : 'NotIn', values: [...values] }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/**
 * Whether excluding nodes with the `fewer` labels excludes those with `pairs`, too; of two equal selectors the first
 * covers the second.
 */
function covers(fewer: readonly Pair[], pairs: readonly Pair[], isFirst: boolean): boolean {
  if (fewer.length > pairs.length || (fewer.length === pairs.length && !isFirst)) return false
  return fewer.every(([key, value]) => pairs.some((pair) => pair[0] === key && pair[1] === value))
}
