import { type Finding, finding, listNames } from './finding/index.ts'
import type { OrderPlan } from './plan-order.ts'
import type { GroupPlan, PolicyPlan } from './plan-policy.ts'
import type { Counts, Outcome } from './prune.ts'
import { sizeOfGroup, type Trace, type Without } from './sizing/index.ts'

/** What a policy says of itself: the counts first, then every group's numbers, then the nodes it leaves out. */
export function summaryOf(policy: PolicyPlan, { counts }: Outcome): Finding[] {
  const { settings, groups, without } = policy
  const { subject } = settings
  const real = groups.filter(({ group }) => group.id !== 'remainder')
  const nodes = real.reduce((sum, { group }) => sum + sizeOfGroup(group), 0)
  const missed = without.filter(({ mayStay }) => !mayStay).reduce((sum, one) => sum + one.nodes.length, 0)
  const closed = without.filter(({ mayStay }) => mayStay).reduce((sum, one) => sum + one.nodes.length, 0)
  const agent = settings.target.kind === 'Order' ? 'a reservation' : 'an agent'
  const objects = countsText(counts.get(policy.rendering))
  const text = settings.enabled
    ? `${subject.metadata.name}: ${plural(real.length, 'group')}, ${plural(nodes, 'node')}, ${objects}, ${plural(missed, 'node')} without ${agent}${closed > 0 ? `, ${plural(closed, 'node')} where no new pod starts` : ''}`
    : `${subject.metadata.name}: disabled, ${objects}`
  return [
    finding('PolicySummary', text, { subject }),
    ...groups.map((group) => finding('GroupSized', explain(group), { subject })),
    ...without.map((one) => finding('NodesWithoutAgent', sentenceOf(one, subject.metadata.name), { subject })),
  ]
}

/** What an Order says of itself. The nodes without a Ticket are said by the rules that leave them out. */
export function summaryOfOrder({ order, tickets, left, rendering }: OrderPlan, { counts }: Outcome): Finding[] {
  const { subject, name } = order
  const missed = left.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const paused = order.paused ? 'paused, ' : ''
  const objects = countsText(counts.get(rendering))
  const text = `${name}: ${paused}${plural(tickets.length, 'Ticket')}, ${objects}, ${plural(missed, 'node')} left out`
  return [finding('OrderSummary', text, { subject })]
}

function countsText(counts: Counts | undefined): string {
  const { added, changed, removed, unchanged } = counts ?? { added: 0, changed: 0, removed: 0, unchanged: 0 }
  return `${plural(added, 'object')} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`
}

function sentenceOf({ reason, nodes, mayStay }: Without, policy: string): string {
  const what = mayStay ? 'in a group' : 'without an agent'
  return `${plural(nodes.length, 'node')} ${what} of ${policy}, ${reason}: ${listNames(nodes)}`
}

/** A group's numbers in one line: each percentage, what it was taken of, what came of it, and what decided. */
function explain({ group, name, budget, sizes }: GroupPlan): string {
  const steps = budget.traces.map((trace) => step(trace, sizes))
  const nodes = group.id === 'remainder' ? 'nodes with label values not seen yet' : plural(sizeOfGroup(group), 'node')
  return `${name.name} for ${group.id} (${nodes}): ${steps.join('; ')}`
}

function step({ name, percentage, basis, raw, decidedBy }: Trace, sizes: GroupPlan['sizes']): string {
  const printed = sizes.map((size) => size.printed.get(name)).join(' + ')
  const unit = name.endsWith('CPU') ? 'm' : ' bytes'
  const decided = decidedBy === undefined ? '' : `, held at the ${decidedBy}`
  return `${name} ${percentage} of ${basis} = ${raw}${unit}${decided} -> ${printed}`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
