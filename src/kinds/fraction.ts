/** An exact ratio. A float percentage would lose a megabyte here and there. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Returns the decimal notation of a number as an exact fraction: 2.5 is 25/10. */
export function decimal(value: number): Fraction {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/.exec(String(value))
  if (match === null) throw new RangeError(`${value} is not a finite decimal`)
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match
  const places = fraction.length - Number(exponent)
  const digits = BigInt(`${sign}${whole}${fraction}`)
  return places >= 0
    ? { numerator: digits, denominator: 10n ** BigInt(places) }
    : { numerator: digits * 10n ** BigInt(-places), denominator: 1n }
}

/** Returns amount x fraction / divisor, rounded down. Neither operand is negative. */
export function timesRoundedDown(amount: bigint, { numerator, denominator }: Fraction, divisor = 1n): bigint {
  return (amount * numerator) / (denominator * divisor)
}
