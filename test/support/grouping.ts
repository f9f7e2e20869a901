import type { Shape } from '../../src/facts/inventory/index.ts'
import type { Item } from '../../src/krm/types.ts'
import { type Labels, matchesNode, type PodSpec } from '../../src/kube/index.ts'
import {
  and,
  basisOf,
  type Group,
  groupMembers,
  membersOf,
  type Placement,
  placementOf,
  requiredTerms,
  type Terms,
  withRequired,
} from '../../src/plan/sizing/index.ts'
import { settings } from './objects.ts'

/** The groups of shapes under a policy; without default group and remainder, unless it asks for them. */
export function groupsOf(
  shapes: Shape[],
  spec: Record<string, unknown> = {},
  { pod = {}, earlier = [] }: { pod?: PodSpec; earlier?: Item[] } = {},
) {
  const own = settings({ remainder: false, defaultNodeGroup: '', ...spec })
  const placement = placementOf(pod, own)
  const { members, without } = membersOf(shapes, placement)
  const grouped = groupMembers(members, own, { placement, earlier })
  const ids = grouped.groups.map(({ id }) => id)
  return { ...grouped, without: [...without, ...grouped.without], ids, members, placement }
}

export const nodesOf = ({ members }: Group): string[] => members.flatMap(({ nodes }) => [...nodes])

/** `4 16Gi`, or nothing where the group cannot be sized. */
export function basisText(group: Group | undefined, statistic: 'smallest' | 'median' = 'smallest'): string {
  const basis = group === undefined ? undefined : basisOf(group, statistic).value
  return basis === undefined ? '' : `${basis.cpu} ${basis.memory}`
}

/** Terms as a line: expressions by commas, terms by bars. */
export function text(terms: Terms): string {
  const term = (expressions: ReadonlyArray<{ key: string; operator: string; values?: string[] | null }>) =>
    expressions
      .map(({ key, operator, values }) => `${key} ${operator}${values ? ` [${values.join(' ')}]` : ''}`)
      .join(', ')
  return (terms ?? []).map(({ matchExpressions }) => term(matchExpressions ?? [])).join(' | ')
}

/** Whether what is rendered for the group admits a node with these labels. */
export function admits(group: Group, placement: Placement, labels: Labels): boolean {
  const nodeSelector = { ...placement.nodeSelector, ...group.nodeSelector }
  const affinity = withRequired(placement.affinity, and(requiredTerms(placement.affinity), group.terms))
  return matchesNode({ name: '', labels }, { nodeSelector, affinity })
}
