import { memo } from '../../../core/index.ts'
import type { Fleet } from '../../../facts/inventory/index.ts'
import { type Finding, listNames, plural } from '../../../krm/finding.ts'
import { isMap } from '../../../krm/map.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { amountTexts, Quantity, type ResourceQuantities, readQuantity } from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import type { TicketPlan } from '../ticket/ticket.ts'

/** The Tickets of one Order, each with its node. */
export interface Reservation {
  readonly name: string
  readonly tickets: readonly TicketPlan[]
}

/**
 * Returns what a Ticket's guardian pod requests: its requests, and its limits where a request is missing, as the API
 * server defaults them.
 */
export function requestsOf(object: KubernetesObject): ResourceQuantities {
  const { requests, limits } = resourcesOf(object) ?? {}
  return { ...amountsIn(limits), ...amountsIn(requests) }
}

function resourcesOf({ spec }: KubernetesObject): { requests?: unknown; limits?: unknown } | undefined {
  return (spec as { resources?: { requests?: unknown; limits?: unknown } } | null)?.resources ?? undefined
}

/** Returns the amounts of a map, and none of any other value: Tickets in the package may be written by hand. */
function amountsIn(value: unknown): ResourceQuantities {
  return isMap(value) ? (value as ResourceQuantities) : {}
}

/** What some Orders reserve together on each of their nodes. */
interface Together {
  /** The Orders, by name. */
  readonly orders: string
  readonly isSeveral: boolean
  readonly sum: ReadonlyMap<string, Quantity>
  readonly text: string
}

/**
 * Reports nodes on which several Orders reserve, with the sum of their requests, and nodes with less allocatable than
 * is reserved, alone or together with the agents that the same run puts there. Nodes with the same Orders and amounts
 * share a finding.
 */
export function checkCapacity(
  reservations: readonly Reservation[],
  fleet: Fleet,
  agentsOn: (node: string) => readonly Readonly<Record<string, Quantity>>[],
): Finding[] {
  const reserved = togetherOn(reservations)
  const overlapping = new Map<string, string[]>()
  const lacking = new Map<string, string[]>()
  for (const { nodes, allocatable } of fleet.shapes) {
    const withoutAgents = memo((together: Together) => lackingAmounts(together, allocatable, []))
    for (const node of nodes) {
      const together = reserved.get(node)
      if (together === undefined) continue
      const { orders, isSeveral, text } = together
      if (isSeveral) collect(overlapping, `${orders} reserve ${text} together`, node)
      const beside = agentsOn(node).filter((requests) => runsOn(allocatable, requests))
      const lack = beside.length === 0 ? withoutAgents(together) : lackingAmounts(together, allocatable, beside)
      for (const what of lack) collect(lacking, what, node)
    }
  }
  return [...nodeFindings('OrdersOverlap', overlapping), ...nodeFindings('RequestAboveAllocatable', lacking)]
}

/** Returns by node what is reserved there. Nodes with the same Orders and amounts share it: there are thousands. */
function togetherOn(reservations: readonly Reservation[]): ReadonlyMap<string, Together> {
  const byNode = new Map<string, Array<{ order: string; object: KubernetesObject }>>()
  for (const { name: order, tickets } of reservations)
    for (const { node, object } of tickets) {
      const entries = byNode.get(node)
      if (entries === undefined) byNode.set(node, [{ order, object }])
      else entries.push({ order, object })
    }
  // the Tickets of an Order share one map of resources
  const resources = new Map<unknown, number>()
  const numberOf = (one: unknown) => {
    const number = resources.get(one) ?? resources.size
    resources.set(one, number)
    return number
  }
  const known = new Map<string, Together>()
  return new Map(
    [...byNode].map(([node, entries]) => {
      const key = entries.map(({ order, object }) => `${order} ${numberOf(resourcesOf(object))}`).join()
      const together = known.get(key) ?? togetherOf(entries)
      known.set(key, together)
      return [node, together]
    }),
  )
}

function togetherOf(entries: ReadonlyArray<{ order: string; object: KubernetesObject }>): Together {
  const orders = [...new Set(entries.map(({ order }) => order))].sort().join(' and ')
  const requests = total(entries.map(({ object }) => requestsOf(object)))
  // each Ticket has a guardian pod, and the scheduler counts pods as a resource of the node (NodeResourcesFit)
  const sum = new Map([...requests, ['pods', Quantity.of(BigInt(entries.length), 'DecimalSI')]])
  return { orders, isSeveral: entries.length > 1, sum, text: amountsText(requests) }
}

/** Returns in words which of the amounts a node does not have, alone or beside agents. */
function lackingAmounts(
  { orders, isSeveral, sum }: Together,
  allocatable: ResourceQuantities,
  beside: readonly Readonly<Record<string, Quantity>>[],
): string[] {
  return [...sum].flatMap(([name, amount]) => {
    const given = Object.hasOwn(allocatable, name) ? allocatable[name] : undefined
    if (given === undefined && !name.includes('/')) return []
    const available = readQuantity(given ?? 0) ?? Quantity.parse(0)
    const reserves = `${orders} reserve${isSeveral ? '' : 's'} ${name}`
    if (amount.compare(available) > 0) {
      const [wanted, most] = amountTexts(name, [amount, available])
      return [`${reserves} ${wanted}, but only ${most} is allocatable`]
    }
    const agents = beside
      .flatMap((requests) => (Object.hasOwn(requests, name) ? (requests[name] ?? []) : []))
      .reduce((one, other) => one.plus(other), Quantity.of(0n, 'DecimalSI'))
    if (amount.plus(agents).compare(available) <= 0) return []
    const [wanted, others, most] = amountTexts(name, [amount, agents, available])
    return [`${reserves} ${wanted} and agents request ${others}, but only ${most} is allocatable`]
  })
}

/** Whether a node has enough allocatable for an agent; an agent that is too large stays Pending and uses none of it. */
function runsOn(allocatable: ResourceQuantities, requests: Readonly<Record<string, Quantity>>): boolean {
  return Object.entries(requests).every(([name, amount]) => {
    const given = Object.hasOwn(allocatable, name) ? allocatable[name] : undefined
    const available = readQuantity(given)
    return available === undefined || amount.compare(available) <= 0
  })
}

function nodeFindings(
  code: 'OrdersOverlap' | 'RequestAboveAllocatable',
  found: ReadonlyMap<string, string[]>,
): Finding[] {
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, nodes]) => {
      const sorted = [...nodes].sort()
      return finding(code, `${what} on ${plural(nodes.length, 'node')}: ${listNames(sorted)}`)
    })
}

/** Returns the sums by resource, sorted by name; malformed quantities are skipped. */
export function total(amounts: readonly ResourceQuantities[]): Map<string, Quantity> {
  const sums = new Map<string, Quantity>()
  for (const quantities of amounts)
    for (const [name, amount] of Object.entries(quantities)) {
      const value = readQuantity(amount)
      if (value === undefined) continue
      const sum = sums.get(name)
      sums.set(name, sum === undefined ? value : sum.plus(value))
    }
  return new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function amountsText(sums: ReadonlyMap<string, Quantity>): string {
  return [...sums].map(([name, amount]) => `${name} ${amountTexts(name, [amount])}`).join(', ')
}

function collect(map: Map<string, string[]>, key: string, node: string): void {
  const nodes = map.get(key)
  if (nodes === undefined) map.set(key, [node])
  else nodes.push(node)
}
