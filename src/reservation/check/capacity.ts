import { type Finding, listNames } from '../../finding/index.ts'
import type { Fleet } from '../../inventory/index.ts'
import { isMap } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { amountTexts, KubeError, Quantity, type ResourceQuantities } from '../../kube/index.ts'
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
export function requestsOf({ spec }: KubernetesObject): ResourceQuantities {
  const { requests, limits } =
    (spec as { resources?: { requests?: unknown; limits?: unknown } } | null)?.resources ?? {}
  return { ...amountsIn(limits), ...amountsIn(requests) }
}

/** Returns the amounts of a map, and none of any other value: Tickets in the package may be written by hand. */
function amountsIn(value: unknown): ResourceQuantities {
  return isMap(value) ? (value as ResourceQuantities) : {}
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
  const byNode = new Map<string, Array<{ order: string; requests: ResourceQuantities }>>()
  for (const { name, tickets } of reservations) {
    for (const { node, object } of tickets) {
      const entry = { order: name, requests: requestsOf(object) }
      byNode.set(node, [...(byNode.get(node) ?? []), entry])
    }
  }
  const overlapping = new Map<string, string[]>()
  const lacking = new Map<string, string[]>()
  for (const { nodes, allocatable } of fleet.shapes) {
    for (const node of nodes) {
      const entries = byNode.get(node) ?? []
      if (entries.length === 0) continue
      const orders = [...new Set(entries.map(({ order }) => order))].sort().join(' and ')
      const sum = total(entries.map(({ requests }) => requests))
      const beside = agentsOn(node).filter((requests) => runsOn(allocatable, requests))
      if (entries.length > 1) collect(overlapping, `${orders} reserve ${amountsText(sum)} together`, node)
      for (const [name, amount] of sum) {
        const given = Object.hasOwn(allocatable, name) ? allocatable[name] : undefined
        if (given === undefined && !name.includes('/')) continue
        const available = readQuantity(given ?? 0) ?? Quantity.parse(0)
        const reserves = `${orders} reserve${entries.length > 1 ? '' : 's'} ${name}`
        if (amount.compare(available) > 0) {
          const [wanted, most] = amountTexts(name, [amount, available])
          collect(lacking, `${reserves} ${wanted}, but only ${most} is allocatable`, node)
          continue
        }
        const agents = beside
          .flatMap((requests) => (Object.hasOwn(requests, name) ? (requests[name] ?? []) : []))
          .reduce((one, other) => one.plus(other), Quantity.of(0n, 'DecimalSI'))
        if (amount.plus(agents).compare(available) <= 0) continue
        const [wanted, others, most] = amountTexts(name, [amount, agents, available])
        collect(lacking, `${reserves} ${wanted} and agents request ${others}, but only ${most} is allocatable`, node)
      }
    }
  }
  return [...nodeFindings('OrdersOverlap', overlapping), ...nodeFindings('RequestAboveAllocatable', lacking)]
}

/** Whether a node has enough allocatable for an agent; an agent that is too large stays Pending and uses none of it. */
function runsOn(allocatable: ResourceQuantities, requests: Readonly<Record<string, Quantity>>): boolean {
  return Object.entries(requests).every(([name, amount]) => {
    const given = Object.hasOwn(allocatable, name) ? allocatable[name] : undefined
    const available = given === undefined ? undefined : readQuantity(given)
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
      return finding(code, `${what} on ${nodes.length} node${nodes.length === 1 ? '' : 's'}: ${listNames(sorted)}`)
    })
}

/** Parses a quantity; undefined if it is malformed, which the API server rejects. */
export function readQuantity(text: string | number): Quantity | undefined {
  try {
    return Quantity.parse(text)
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
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
