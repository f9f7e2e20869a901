import { Quantity } from './quantity.ts'
import type { ResourceQuantities } from './types.ts'

/** Amounts by resource name. */
export type Amounts = Map<string, Quantity>

const NANO_IN_MILLI = 1_000_000n

/**
 * Reads a resource list as the API server stores it: fractions finer than a thousandth are rounded up
 * (`SetDefaults_ResourceList`). Throws `KubeError` on a malformed quantity.
 */
export function amountsOf(quantities: ResourceQuantities | null | undefined): Amounts {
  return new Map(Object.entries(quantities ?? {}).map(([name, text]) => [name, rounded(Quantity.parse(text))]))
}

/** Adds each amount to the sum. */
export function addAmounts(sum: Amounts, more: Amounts): void {
  for (const [name, quantity] of more) sum.set(name, sum.get(name)?.plus(quantity) ?? quantity)
}

/** Raises each amount of the sum to the floor, where it is lower or missing. */
export function raiseAmounts(sum: Amounts, floor: Amounts): void {
  for (const [name, quantity] of floor) {
    const present = sum.get(name)
    if (present === undefined || quantity.compare(present) > 0) sum.set(name, quantity)
  }
}

/** Sets the default of each amount that is missing. */
export function fillAmounts(sum: Amounts, defaults: Amounts): void {
  for (const [name, quantity] of defaults) if (!sum.has(name)) sum.set(name, quantity)
}

/** Writes amounts as a resource list in Kubernetes' JSON. */
export function quantitiesOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, quantity.toString()]))
}

function rounded(quantity: Quantity): Quantity {
  return quantity.nanoValue() % NANO_IN_MILLI === 0n ? quantity : Quantity.ofMilli(quantity.milliValue())
}
