import { type Amounts, RESOURCES, type Resource } from './amounts.ts'
import type { Settled } from './settled.ts'

/** The smallest node of a group: what its amounts are compared by. Pods are absent where no node says them. */
export interface NodeSize extends Amounts {
  readonly pods?: number
}

/** What is settled for a container in a node group, and its node. */
export interface SettledRow {
  readonly group: string
  readonly node: NodeSize
  readonly settled: Pick<Settled, 'used' | 'limits'>
}

/** Sizes for a group of which nothing is settled, each with the group whose row it is. */
export interface Borrowed {
  readonly used: Amounts<Loan>
  readonly limits: Amounts<Loan>
}

export interface Loan {
  readonly amount: number
  readonly group: string
}

/** Of a smaller node a borrowed amount takes at most a tenth. */
const MOST_OF_SMALLER = 10

/**
 * Returns sizes for a node group of which nothing is settled, from rows of the same policy and container. Each amount
 * that is used is the larger of two rows: the nearest with at most as many pods a node, the nearest with at least as
 * many. Agents grow with the pods of their node more than with its memory. Each limit is the largest of all rows:
 * another row, or another limit, lowers none. Amounts that no row has are absent.
 */
export function borrow(rows: readonly SettledRow[], node: NodeSize): Borrowed {
  return { used: borrowedOf(rows, node, 'used'), limits: borrowedOf(rows, node, 'limits') }
}

function borrowedOf(rows: readonly SettledRow[], node: NodeSize, part: 'used' | 'limits'): Amounts<Loan> {
  return Object.fromEntries(
    RESOURCES.flatMap((resource) => {
      const lenders = rows.flatMap(({ group, node: own, settled }) => {
        const amount = settled[part][resource]
        return amount === undefined ? [] : [{ group, node: own, amount: atMost(amount, resource, own, node) }]
      })
      const loan = part === 'limits' ? largestOf(lenders) : largerOfNearest(lenders, node, resource)
      return loan === undefined ? [] : [[resource, loan]]
    }),
  )
}

interface Lender extends Loan {
  readonly node: NodeSize
}

function atMost(amount: number, resource: Resource, lender: NodeSize, node: NodeSize): number {
  const [own, other] = [node[resource], lender[resource]]
  if (own === undefined || other === undefined || own >= other) return amount
  return Math.min(amount, Math.floor(own / MOST_OF_SMALLER))
}

/** The largest amount; of equal ones always that of the same group, in whatever order the rows are. */
function largestOf(lenders: readonly Lender[]): Loan | undefined {
  const [loan] = lenders.toSorted((a, b) => b.amount - a.amount || (a.group < b.group ? -1 : 1))
  return loan && { amount: loan.amount, group: loan.group }
}

function largerOfNearest(lenders: readonly Lender[], node: NodeSize, resource: Resource): Loan | undefined {
  const { pods } = node
  const byPods = pods === undefined ? [] : lenders.filter((lender) => lender.node.pods !== undefined)
  // without pods the amount itself says how large a node is
  const [size, candidates] =
    byPods.length > 0 ? [(of: NodeSize) => of.pods ?? 0, byPods] : [(of: NodeSize) => of[resource] ?? 0, lenders]
  const below = nearest(candidates, node, size, resource, (lender) => lender <= size(node))
  const above = nearest(candidates, node, size, resource, (lender) => lender >= size(node))
  return largestOf([...below, ...above])
}

/** The lenders nearest on one side; of those with equal pods the nearest by the amount itself. */
function nearest(
  lenders: readonly Lender[],
  node: NodeSize,
  size: (of: NodeSize) => number,
  resource: Resource,
  isOnSide: (size: number) => boolean,
): readonly Lender[] {
  const onSide = lenders.filter((lender) => isOnSide(size(lender.node)))
  const equal = withLeast(onSide, (lender) => Math.abs(size(lender.node) - size(node)))
  return withLeast(equal, (lender) => Math.abs((lender.node[resource] ?? 0) - (node[resource] ?? 0)))
}

function withLeast(lenders: readonly Lender[], distance: (lender: Lender) => number): readonly Lender[] {
  const least = Math.min(...lenders.map(distance))
  return lenders.filter((lender) => distance(lender) === least)
}
