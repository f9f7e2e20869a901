import type { Labels, NodeSelectorRequirement } from '../kube/index.ts'
import { excluding, selectorFacts } from './exclusion.ts'
import type { Group } from './group.ts'
import { allOf, and } from './terms.ts'

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
