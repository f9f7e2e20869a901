import { Quantity, type ResourceQuantities } from '../kube/index.ts'
import type { Shape } from './fleet.ts'

const HUNDRED = 100n

/**
 * Joins nodes into shapes. Nodes alike in all but the amounts, and less than 1 % apart in each of those, become one
 * shape with the smallest of each; `exact` joins equal ones only. The result does not depend on the input's order.
 */
export function toShapes(nodes: readonly Shape[], options: { exact?: boolean } = {}): Shape[] {
  const alike = new Map<string, Shape[]>()
  for (const node of nodes) {
    const key = likeness(node)
    const group = alike.get(key)
    if (group === undefined) alike.set(key, [node])
    else group.push(node)
  }
  const keys = [...alike.keys()].sort()
  return keys.flatMap((key) => clusters(alike.get(key) ?? [], options.exact === true).map(join))
}

/** Everything a policy can see of a node but the amounts. */
function likeness({ labels, taints, ready, unschedulable, osImage, capacity, allocatable }: Shape): string {
  const sortedTaints = taints.map(({ key, value = '', effect }) => [key, value, effect].join(' ')).sort()
  const names = [Object.keys(capacity).sort(), Object.keys(allocatable).sort()]
  return JSON.stringify([Object.entries(labels).sort(), sortedTaints, ready ?? '', unschedulable, osImage, names])
}

function clusters(nodes: readonly Shape[], exact: boolean): Shape[][] {
  const amounts = new Map(nodes.map((node) => [node, amountsOf(node)]))
  const sorted = [...nodes].sort(
    (a, b) => compareAmounts(amounts.get(a) ?? [], amounts.get(b) ?? []) || compareNames(a, b),
  )
  const result: Shape[][] = []
  let first: readonly bigint[] | undefined
  for (const node of sorted) {
    const own = amounts.get(node) ?? []
    if (first !== undefined && isNear(first, own, exact)) result.at(-1)?.push(node)
    else {
      result.push([node])
      first = own
    }
  }
  return result
}

function amountsOf({ allocatable, capacity }: Shape): bigint[] {
  return [allocatable, capacity].flatMap((resources) =>
    Object.keys(resources)
      .sort()
      .map((name) => Quantity.parse(resources[name] ?? 0).nanoValue()),
  )
}

function compareAmounts(left: readonly bigint[], right: readonly bigint[]): number {
  for (const [index, amount] of left.entries()) {
    const other = right[index] ?? 0n
    if (amount !== other) return amount < other ? -1 : 1
  }
  return 0
}

function compareNames(left: Shape, right: Shape): number {
  return (left.nodes[0] ?? '') < (right.nodes[0] ?? '') ? -1 : 1
}

function isNear(first: readonly bigint[], other: readonly bigint[], exact: boolean): boolean {
  return first.every((amount, index) => {
    const own = other[index] ?? 0n
    const apart = own > amount ? own - amount : amount - own
    const smaller = own > amount ? amount : own
    return apart === 0n || (!exact && apart * HUNDRED < smaller)
  })
}

function join(nodes: readonly Shape[]): Shape {
  const [first] = nodes
  if (first === undefined) throw new Error('a shape has at least one node to be made of')
  const uids = Object.assign({}, ...nodes.map((node) => node.uids)) as Record<string, string>
  return {
    ...first,
    taints: [...first.taints].sort((a, b) => (taintText(a) < taintText(b) ? -1 : 1)),
    capacity: smallest(nodes.map(({ capacity }) => capacity)),
    allocatable: smallest(nodes.map(({ allocatable }) => allocatable)),
    nodes: nodes.flatMap((node) => node.nodes).sort(),
    ...(Object.keys(uids).length > 0 ? { uids } : {}),
  }
}

function taintText({ key, value = '', effect }: Shape['taints'][number]): string {
  return `${key}=${value}:${effect}`
}

function smallest(all: readonly ResourceQuantities[]): ResourceQuantities {
  const result: ResourceQuantities = {}
  for (const name of Object.keys(all[0] ?? {}).sort()) {
    const amounts = all.map((resources) => Quantity.parse(resources[name] ?? 0))
    result[name] = amounts.reduce((least, amount) => (amount.compare(least) < 0 ? amount : least)).toString()
  }
  return result
}
