import {
  type CountLine,
  countNodes,
  type Line,
  type NodesLine,
  nodesLine,
  type PercentageStep,
  type UsedTexts,
  type VariableStep,
} from '../../core/index.ts'
import type { Known } from '../../facts/usage/index.ts'
import { PERCENTAGES } from '../../kinds/index.ts'
import { smallestNode } from './basis.ts'
import { nodesOfGroup } from './group.ts'
import type { Without } from './membership.ts'
import type { Trace } from './size.ts'
import type { SizedGroup } from './size-groups.ts'
import { usedText } from './usage/amounts.ts'
import type { PolicyUsage } from './usage/policy-usage.ts'

/** What the lines of groups are made of besides their sizes. */
interface GroupFacts {
  /** Replaces the node count where not every node is served. */
  readonly served?: CountLine
  /** The variables of a group, by its id. */
  readonly variables?: ReadonlyMap<string, readonly VariableStep[]>
  /** Returns what snapshots know of usage; asked by a view alone. */
  readonly usage: () => PolicyUsage
}

/** The counts of groups and nodes, and a line for each group. */
export function groupLines(groups: readonly SizedGroup[], { served, variables, usage }: GroupFacts): Line[] {
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
      const usedBy = (container: string) => usedTexts(usage().of(container, id)?.seen?.used)
      return { kind: 'group', ...head, node, steps, ...(own.length === 0 ? {} : { variables: own }), usedBy }
    }),
  ]
}

function usedTexts({ cpu, memory }: NonNullable<Known['seen']>['used'] = {}): UsedTexts {
  return {
    ...(cpu === undefined ? {} : { cpu: usedText('cpu', cpu) }),
    ...(memory === undefined ? {} : { memory: usedText('memory', memory) }),
  }
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
