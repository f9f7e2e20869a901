import { indexBy, type NodesLine, nodesLine } from '../../../core/index.ts'
import { firstNames, type Nodes, namedNodes, nodesExcept, sortedNodes } from '../../../facts/inventory/index.ts'
import { listNames } from '../../../krm/finding/index.ts'
import { type FleetNode, type FleetNodes, type Ineligible, RULES, stateKey } from './eligibility.ts'

/** A node that was checked for an Order; `why` is set if it gets no Ticket. */
export interface Judged extends FleetNode {
  readonly why?: Ineligible
}

/** Nodes that one rule excludes for one reason. */
export interface LeftOut extends Ineligible {
  readonly nodes: Nodes
}

/** Words for nodes without a reservation. They also apply while the window of the Order is closed. */
export const LEFT_OUT = 'left out'

/**
 * Returns the nodes that get no Ticket: those of `near` with a reason, and all other nodes in good state for the reason
 * `others`. If each of many Orders selects a few nodes, these are nearly all nodes every time, so names are collected
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

/** Returns one account line for each rule that excludes nodes, across all Orders. */
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
