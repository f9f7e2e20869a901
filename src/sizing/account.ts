import { PERCENTAGES } from '../policy/index.ts'
import {
  type CountLine,
  countNodes,
  type Line,
  type NodesLine,
  nodesLine,
  type PercentageStep,
  type VariableStep,
} from '../world/index.ts'
import { smallestNode } from './basis.ts'
import { nodesOfGroup } from './group.ts'
import type { Without } from './membership.ts'
import type { Trace } from './size.ts'
import type { SizedGroup } from './size-groups.ts'

/**
 * The counts of groups and nodes, and a line for each group. `served` replaces the node count where not every node is
 * served; `variables` are those of a group, by its id.
 */
export function groupLines(
  groups: readonly SizedGroup[],
  { served, variables }: { served?: CountLine; variables?: ReadonlyMap<string, readonly VariableStep[]> },
): Line[] {
  const real = groups.filter(({ group }) => group.kind !== 'remainder' && group.members.length > 0)
  const nodes = groups.reduce((sum, { group }) => sum + nodesOfGroup(group).nodeCount, 0)
  return [
    { kind: 'count', count: real.length, noun: 'group' },
    served ?? { kind: 'count', count: nodes, noun: 'node' },
    ...groups.map((sized): Line => {
      const { group, name, budget } = sized
      const made = [...budget.traces.map((trace) => stepOf(trace, sized)), ...(sized.usage?.steps ?? [])]
      const steps = PERCENTAGES.flatMap((amount) => made.filter((step) => step.name === amount))
      const { id, kind: groupKind, aliases } = group
      const node = smallestNode(group)
      const own = variables?.get(id) ?? []
      const head = { id, groupKind, aliases, name: name.name, ...nodesOfGroup(group) }
      return { kind: 'group', ...head, node, steps, ...(own.length === 0 ? {} : { variables: own }) }
    }),
  ]
}

/**
 * Lines for the nodes without an agent, worded by `missedBy`, and for nodes of a group where no new pod starts: first
 * the two counts, then the nodes by reason.
 */
export function missedLines(without: readonly Without[], missedBy: string, others: readonly NodesLine[] = []): Line[] {
  const lines = (mayStay: boolean, code: NodesLine['code'], words: string): NodesLine[] =>
    without
      .filter((nodes) => nodes.mayStay === mayStay)
      .map((nodes) => nodesLine({ code, words, reason: nodes.reason }, nodes))
  const missed = [...lines(false, 'NodesWithoutAgent', missedBy), ...others]
  const closed = lines(true, 'NoNewPods', NO_NEW_POD)
  const counts = [countNodes(missed, missedBy), countNodes(closed, NO_NEW_POD)]
  return [...counts.filter(({ count }, index) => index === 0 || count > 0), ...missed, ...closed]
}

const NO_NEW_POD = 'where no new pod starts'

function stepOf(trace: Trace, { sizes, from, now }: SizedGroup): PercentageStep {
  const printed = trace.printed ?? sizes.map((size) => size.printed.get(trace.name)).join(' + ')
  return { ...trace, kind: 'percentage', from, now: now?.[trace.resource].toString(), printed }
}
