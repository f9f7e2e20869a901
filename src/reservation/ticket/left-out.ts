import { listNames } from '../../finding/index.ts'
import { firstNames, type Nodes, namedNodes, nodesExcept, sortedNodes } from '../../inventory/index.ts'
import { indexBy, type NodesLine, nodesLine } from '../../world/index.ts'
import { type FleetNode, type FleetNodes, type Ineligible, RULES, stateKey } from './eligibility.ts'

/** A node that was looked at for an Order, and why it gets no Ticket, if it gets none. */
export interface Judged extends FleetNode {
  readonly why?: Ineligible
}

/** Nodes that one rule leaves out for one reason. */
export interface LeftOut extends Ineligible {
  readonly nodes: Nodes
}

/**
 * Words for nodes that get no reservation, also while the window is closed in which the other nodes have theirs.
 */
export const LEFT_OUT = 'left out'

/**
 * The nodes that get no Ticket: those of `near` that have a reason, and all others in good state for the same one.
 * Where each of many Orders is for a few nodes these are nearly all nodes, each time, so their names are collected
 * only on request.
 */
export function leftOut({ byState }: FleetNodes, near: readonly Judged[], others: Ineligible | undefined): LeftOut[] {
  const nearby = indexBy(near, stateKey)
  const shared = [...byState].flatMap(([key, { state, names }]): LeftOut[] => {
    const why = state ?? others
    if (why === undefined) return []
    const gone = nearby.get(key)?.filter((node) => !isSame(node.why, why))
    return [{ ...why, nodes: nodesExcept(names, new Set(gone?.map(({ name }) => name))) }]
  })
  const apart = near.filter(({ state, why }) => state === undefined && !isSame(why, others))
  const byReason = [...indexBy(apart, ({ why }) => why && `${why.rule} ${why.reason}`).values()].flatMap(
    (nodes): LeftOut[] => {
      const why = nodes[0]?.why
      return why === undefined ? [] : [{ ...why, nodes: namedNodes(nodes.map(({ name }) => name)) }]
    },
  )
  return [...shared, ...byReason]
    .filter(({ nodes }) => nodes.nodeCount > 0)
    .sort((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1))
}

function firstOf({ nodes }: LeftOut): string {
  return firstNames(nodes)[0] ?? ''
}

/** Nodes without a Ticket, one line for each rule, whatever the Orders. */
export function leftLines(left: readonly LeftOut[]): NodesLine[] {
  return RULES.flatMap((rule) => {
    const byRule = left.filter((one) => one.rule === rule)
    if (byRule.length === 0) return []
    const reason = listNames([...new Set(byRule.map((one) => one.reason))])
    const line = { code: 'NodesNotEligible', words: `${LEFT_OUT} by ${rule}`, reason } as const
    return [nodesLine(line, sortedNodes(byRule.map(({ nodes }) => nodes)))]
  })
}

function isSame(one: Ineligible | undefined, other: Ineligible | undefined): boolean {
  return one?.rule === other?.rule && one?.reason === other?.reason
}
