import { amountsOf } from './amounts.ts'
import type { Quantity } from './quantity.ts'
import type { ResourceQuantities } from './types.ts'

/** A resource of which a node has less than a pod asks for; cpu in thousandths, all else in whole units. */
export interface Lack {
  readonly resource: string
  readonly requested: bigint
  readonly allocatable: bigint
  /** What is left of it beside other pods. */
  readonly free: bigint
}

/**
 * What a node lacks for a pod (`fitsRequest` of the scheduler's NodeResourcesFit): each request, rounded up to a whole unit or to
 * a thousandth of a cpu, against allocatable less what other pods request, and one more pod against `pods`. A resource that
 * the node does not name is none. Throws `KubeError` on a malformed quantity.
 */
export function lackOf(
  requests: Readonly<Record<string, Quantity>>,
  allocatable: ResourceQuantities,
  used: ResourceQuantities = {},
): Lack[] {
  const there = unitsOf(allocatable)
  const taken = unitsOf(used)
  const asked = new Map([...Object.entries(requests)].map(([name, amount]) => [name, units(name, amount)]))
  asked.set('pods', 1n)
  return [...asked].flatMap(([resource, requested]) => {
    const total = there.get(resource) ?? 0n
    const free = total - (taken.get(resource) ?? 0n)
    return requested === 0n || requested <= free ? [] : [{ resource, requested, allocatable: total, free }]
  })
}

function unitsOf(quantities: ResourceQuantities): Map<string, bigint> {
  return new Map([...amountsOf(quantities)].map(([name, amount]) => [name, units(name, amount)]))
}

/** An amount as the scheduler counts it. */
export function units(name: string, amount: Quantity): bigint {
  return name === 'cpu' ? amount.milliValue() : amount.value()
}
