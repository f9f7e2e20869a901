import { borrow, type Known, type NodeSize, RESOURCES, type Settled } from '../../../facts/usage/index.ts'
import type { Resource } from '../../../kinds/index.ts'
import type { PolicyUsage } from './policy-usage.ts'

/** An amount that usage gives: settled for the group itself, or borrowed from another. CPU in thousandths, MiB. */
export interface UsedAmount {
  readonly amount: number
  /** The group whose row it is; undefined of its own. */
  readonly like?: string
}

type UsedAmounts = Readonly<Partial<Record<Resource, UsedAmount>>>

/** What usage says of one container in a node group. */
export interface ContainerUsage {
  readonly container: string
  /** Its row, where it has one. */
  readonly known?: Known
  readonly used: UsedAmounts
  readonly limits: UsedAmounts
}

/**
 * Returns what usage says of a container in a node group. Settled amounts count as they are: where one is missing, its
 * memory follows its limit, or its limits have sufficed. A group of which nothing is settled borrows from its
 * neighbours; one whose limit kills have raised before anything was settled keeps that limit.
 */
export function containerUsage(container: string, group: string, node: NodeSize, usage: PolicyUsage): ContainerUsage {
  const known = usage.of(container, group)
  const settled = known?.settled
  const own = { used: ownAmounts(settled?.used), limits: ownAmounts(settled?.limits) }
  const isSettled = settled !== undefined && Object.keys(settled.used).length > 0
  if (isSettled) return { container, known, ...own }
  const lenders = usage
    .all(container)
    .flatMap((one) => (one.settled === undefined || one === known ? [] : [{ ...one, settled: one.settled }]))
  const borrowed = borrow(lenders, node)
  const used = borrowedAmounts(borrowed.used)
  return {
    container,
    ...(known && { known }),
    used: known?.follows === undefined ? used : { ...(used.cpu && { cpu: used.cpu }) },
    limits: largerAmounts(own.limits, borrowedAmounts(borrowed.limits)),
  }
}

function ownAmounts(amounts: Settled['used'] = {}): UsedAmounts {
  return mapped((resource) => (amounts[resource] === undefined ? undefined : { amount: amounts[resource] }))
}

function borrowedAmounts(loans: ReturnType<typeof borrow>['used']): UsedAmounts {
  return mapped((resource) => {
    const loan = loans[resource]
    return loan && { amount: loan.amount, like: loan.group }
  })
}

function largerAmounts(own: UsedAmounts, others: UsedAmounts): UsedAmounts {
  return mapped((resource) => {
    const [mine, other] = [own[resource], others[resource]]
    return mine === undefined || (other !== undefined && other.amount > mine.amount) ? other : mine
  })
}

function mapped(amountOf: (resource: Resource) => UsedAmount | undefined): UsedAmounts {
  return Object.fromEntries(
    RESOURCES.flatMap((resource) => {
      const amount = amountOf(resource)
      return amount === undefined ? [] : [[resource, amount]]
    }),
  )
}
