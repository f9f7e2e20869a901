import { Quantity } from './quantity.ts'
import type { ResourceQuantities } from './types.ts'

const ONE = Quantity.of(1n, 'DecimalSI')

/** A resource of which a node has less room than a pod requests: cpu in thousandths, others in whole units. */
export interface ResourceShortage {
  readonly resource: string
  readonly requested: bigint
  readonly allocatable: bigint
  /** Allocatable less the requests of other pods. */
  readonly free: bigint
}

/**
 * Returns each resource that a node has too little of for a pod (`fitsRequest` of the scheduler's NodeResourcesFit). A
 * request is rounded up to whole units, cpu to thousandths, and compared with allocatable less `used`; the pod itself
 * counts one against `pods`. A resource that the node does not list is 0. Throws `KubeError` on a malformed quantity.
 */
export function resourceShortages(
  requests: Readonly<Record<string, Quantity>>,
  allocatable: ResourceQuantities,
  used: ResourceQuantities = {},
): ResourceShortage[] {
  return [...Object.entries(requests), ['pods', ONE] as const].flatMap(([resource, amount]) => {
    const requested = units(resource, amount)
    if (requested === 0n) return []
    const total = unitsIn(allocatable, resource)
    const free = total - unitsIn(used, resource)
    return requested <= free ? [] : [{ resource, requested, allocatable: total, free }]
  })
}

function unitsIn(quantities: ResourceQuantities, name: string): bigint {
  const text = Object.hasOwn(quantities, name) ? quantities[name] : undefined
  return text === undefined ? 0n : units(name, Quantity.parse(text))
}

/** Returns an amount in the scheduler's units: thousandths of cpu, whole units of any other resource. */
export function units(name: string, amount: Quantity): bigint {
  return name === 'cpu' ? amount.milliValue() : amount.value()
}
