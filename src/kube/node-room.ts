import { Quantity } from './quantity.ts'
import type { ResourceQuantities } from './types.ts'

const ONE = Quantity.of(1n, 'DecimalSI')

/** A resource of which a node has less than a pod asks for; cpu in thousandths, all else in whole units. */
export interface ResourceShortage {
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

/** An amount as the scheduler counts it. */
export function units(name: string, amount: Quantity): bigint {
  return name === 'cpu' ? amount.milliValue() : amount.value()
}
