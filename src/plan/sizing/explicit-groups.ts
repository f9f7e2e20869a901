/** Explicit groups, and the terms that exclude their nodes from later groups. */

import type { SizingSettings } from '../../kinds/index.ts'
import type { Labels, NodeSelectorRequirement } from '../../kube/index.ts'
import { meetsRequirement } from '../../kube/requirement.ts'
import { covers, dividedTerms, type Pair } from './divided-terms.ts'
import { carries, type Group } from './group.ts'
import type { Member } from './membership.ts'
import { sanitize } from './name.ts'
import type { Placement } from './placement.ts'
import { allOf, and, anyOf, requiredTerms, type Terms } from './terms.ts'

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
export function selectorFacts(nodeSelector: Labels): NodeSelectorRequirement[] {
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
export function excluding(selectors: readonly Labels[], facts: Facts, most = MOST_EXPANDED): Terms {
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
