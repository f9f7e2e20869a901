import { amountTexts, Quantity, readQuantity, units } from '../kube/index.ts'

export type Resource = 'cpu' | 'memory'

/** Reads an amount in millicores or bytes; undefined without one, and for a user's edit that is no quantity. */
export function unitsOf(resource: Resource, text: string | undefined): bigint | undefined {
  const amount = readQuantity(text)
  return amount === undefined ? undefined : units(resource, amount)
}

/** Returns a part of a whole in percent, rounded to hundredths; undefined where either is unknown or the whole is 0. */
export function percentOf(part: bigint | undefined, whole: bigint | undefined): number | undefined {
  if (part === undefined || whole === undefined || whole <= 0n) return undefined
  return Number((part * 20_000n + whole) / (2n * whole)) / 100
}

/** Writes an amount in millicores or bytes as a quantity, memory rounded so that it is read. */
export function amountText(resource: Resource, amount: bigint): string {
  const quantity = resource === 'cpu' ? Quantity.ofMilli(amount) : Quantity.of(amount, 'BinarySI')
  return amountTexts(resource, [quantity])[0] ?? ''
}
