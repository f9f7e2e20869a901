import { indexBy } from '../../../core/index.ts'
import type { UsageRow } from '../../../facts/inventory/index.ts'
import { borrow, type Known, type NodeSize, RESOURCES, readRow, type Settled } from '../../../facts/usage/index.ts'
import type { Resource, SizingSettings } from '../../../kinds/index.ts'
import type { PodSpec } from '../../../kube/index.ts'

/** What a WorkloadSnapshot knows of the usage of a policy's containers. */
export interface PolicyUsage {
  /** The row of a container in a node group; undefined where there is none. */
  of(container: string, group: string): Known | undefined
  /** All rows of a container, those of groups that are gone too. */
  all(container: string): readonly Known[]
}

/** Where a policy's rows are found: its names, and the namespace of what it renders, where that is known. */
interface RowOwner {
  readonly names: readonly string[]
  readonly namespace: string | undefined
}

/** Returns the owner of the rows of a policy; those of its former names count where there are none of its own. */
export function rowOwner({ subject, formerNames }: SizingSettings, namespace: string | undefined): RowOwner {
  return { names: [subject.metadata.name, ...formerNames], namespace: namespace ?? subject.metadata.namespace }
}

/** Returns the names of the containers of a pod, those that end included. */
export function namesIn({ containers, initContainers }: PodSpec): string[] {
  return [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name)
}

/**
 * Returns what the rows of a snapshot say of a policy; of a container and group, the first name with a row counts. A
 * chart may rename the one container that a policy sizes: until something is settled of the new name, the rows of the
 * one container that the pod no longer has are its own, so that no limit falls because a name is gone.
 */
export function policyUsage(
  rows: readonly UsageRow[],
  owner: RowOwner,
  sized: readonly string[] = [],
  present: readonly string[] = sized,
): PolicyUsage {
  const known = new Map<string, Known>()
  for (const row of owner.names.flatMap((name) => rowsNamed(rows, name, owner.namespace))) {
    const key = keyOf(row.container, row.group)
    if (!known.has(key)) known.set(key, readRow(row))
  }
  const sorted = [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
  const byContainer = indexBy(sorted, ({ container }) => container)
  const [only, ...more] = sized
  const isSettled = (container: string) =>
    (byContainer.get(container) ?? []).some(({ settled }) => settled !== undefined)
  const others = [...byContainer.keys()].filter((container) => container !== only && !present.includes(container))
  const former =
    only !== undefined && more.length === 0 && !isSettled(only) && others.length === 1 ? others[0] : undefined
  const formerOf = (container: string) => (container === only ? former : undefined)
  return {
    of: (container, group) => known.get(keyOf(container, group)) ?? known.get(keyOf(formerOf(container) ?? '', group)),
    all: (container) => [...(byContainer.get(container) ?? []), ...(byContainer.get(formerOf(container) ?? '') ?? [])],
  }
}

/**
 * The rows of a policy: its namespace and name. Where nothing says the namespace, a later step sets one: that of all
 * rows of this name, if it is one.
 */
function rowsNamed(rows: readonly UsageRow[], name: string, namespace: string | undefined): readonly UsageRow[] {
  const named = rows.filter(({ policy }) => policy.slice(policy.indexOf('/') + 1) === name)
  if (namespace !== undefined) return named.filter(({ policy }) => policy === name || policy === `${namespace}/${name}`)
  return new Set(named.map(({ policy }) => policy)).size === 1 ? named : named.filter(({ policy }) => policy === name)
}

function keyOf(container: string, group: string): string {
  return JSON.stringify([container, group])
}

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
