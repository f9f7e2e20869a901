import type { Labels, NodeSelectorRequirement } from '../kube/index.ts'
import { meetsRequirement } from '../kube/requirement.ts'
import type { SizingSettings } from '../policy/index.ts'

import { carries, type Group } from './group.ts'
import type { Member } from './membership.ts'
import { sanitize } from './name.ts'
import type { Placement } from './placement.ts'
import { allOf, and, anyOf, requiredTerms, type Terms } from './terms.ts'

/**
 * The policy's explicit groups, in its order; the first whose selector a node carries has it. One without nodes is a group all the
 * same: its pool may be scaled to zero, and the others exclude it.
 */
export function explicitGroups(
  members: readonly Member[],
  { explicitGroups: groups }: SizingSettings,
): { groups: Draft[]; rest: Member[] } {
  const owners = members.map(({ shape }) => groups.findIndex(({ nodeSelector }) => carries(shape.labels, nodeSelector)))
  const membersOf = (index: number) => members.filter((_, at) => owners[at] === index)
  const drafts = groups.map(({ name, nodeSelector, ...rule }, index): Draft => {
    const own = { namePart: sanitize(name), aliases: [name], nodeSelector, requirements: [], rule }
    return { kind: 'explicit', id: explicitId(name), ...own, members: membersOf(index) }
  })
  return { groups: drafts, rest: membersOf(-1) }
}

/** The identity of an explicit group. */
export function explicitId(name: string): string {
  return `group:${name}`
}

/** How explicit groups are kept out of those behind them, in as few terms as it takes. */

type Pair = readonly [key: string, value: string]
type Facts = readonly NodeSelectorRequirement[]

/** What holds on every node where a pod of the placement may be. Of several required terms none does for sure. */
export function placementFacts({ nodeSelector, affinity }: Pick<Placement, 'nodeSelector' | 'affinity'>): Facts {
  const [term, another] = requiredTerms(affinity) ?? []
  return [...selectorFacts(nodeSelector), ...(another === undefined ? (term?.matchExpressions ?? []) : [])]
}

/** A nodeSelector as requirements. */
export function selectorFacts(nodeSelector: Labels): NodeSelectorRequirement[] {
  return Object.entries(nodeSelector).map(([key, value]) => ({ key, operator: 'In', values: [value] }))
}

/**
 * Terms that keep out the nodes of the selectors, where `facts` hold anyway. A selector of one label is a `NotIn`; one of several
 * takes a term for each label that the facts leave open (DESIGN, "Which nodes").
 */
export function excluding(selectors: readonly Labels[], facts: Facts): Terms {
  const open = openPairs(selectors, facts)
  const single = open.filter(({ length }) => length === 1).flat()
  const several = open.filter(({ length }) => length > 1)
  return several.reduce<Terms>((terms, pairs) => and(terms, anyOf(pairs.map(isNot))), allOf(single.map(isNot)))
}

/** How many terms that takes. */
export function countExclusions(selectors: readonly Labels[], facts: Facts): number {
  return openPairs(selectors, facts).reduce((count, { length }) => count * length, 1)
}

/** Of each selector the labels that the facts leave open; one that they rule out, or that another covers, needs none. */
function openPairs(selectors: readonly Labels[], facts: Facts): Array<readonly Pair[]> {
  const open = selectors.flatMap((selector) => {
    const pairs: Pair[] = Object.entries(selector).sort()
    if (pairs.some((pair) => isRuledOut(pair, facts))) return []
    const left = pairs.filter((pair) => !isImplied(pair, facts))
    // facts that imply all of it leave no node; one label is enough to say so
    return [left.length > 0 ? left : pairs.slice(0, 1)]
  })
  return open.filter((pairs, index) => !open.some((other, at) => at !== index && covers(other, pairs, at < index)))
}

/** Whether keeping out what has the `fewer` labels keeps out what has the others, too; of equal ones the first does. */
function covers(fewer: readonly Pair[], pairs: readonly Pair[], isFirst: boolean): boolean {
  if (fewer.length > pairs.length || (fewer.length === pairs.length && !isFirst)) return false
  return fewer.every(([key, value]) => pairs.some(([other, own]) => other === key && own === value))
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

/** A group before earlier explicit groups are kept out of it. */
export interface Draft extends Omit<Group, 'terms'> {
  /** What its nodes fulfil beside its nodeSelector, in the order in which it is written. */
  readonly requirements: readonly NodeSelectorRequirement[]
}

/**
 * The group as it is rendered: its own requirements first, then those that keep out the nodes of `earlier` explicit groups, in
 * the policy's order. `facts` hold on every node of the policy. This order is part of the API: another one restarts every pod.
 */
export function finished(
  { requirements, ...group }: Draft,
  earlier: readonly Labels[],
  facts: readonly NodeSelectorRequirement[],
): Group {
  const own = [...facts, ...selectorFacts(group.nodeSelector), ...requirements]
  return { ...group, terms: and(allOf(requirements), excluding(earlier, own)) }
}
