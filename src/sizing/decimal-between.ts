import type { Fraction } from '../policy/index.ts'

/** The decimal with the fewest places from `low` to `high`, both above 0, and of several the smallest. */
export function decimalBetween(low: Fraction, high: Fraction): number {
  for (let places = 0, scale = 1n; ; places++, scale *= 10n) {
    const digits = roundedUp(low.numerator * scale, low.denominator)
    if (digits * high.denominator <= high.numerator * scale) return Number(`${digits}e-${places}`)
  }
}

export function isAbove(one: Fraction, other: Fraction): boolean {
  return one.numerator * other.denominator > other.numerator * one.denominator
}

function roundedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit
}
