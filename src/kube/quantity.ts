import { NANO, parseQuantity, printQuantity, type QuantityFormat } from './quantity-text.ts'

const MILLI = 1_000_000n

/**
 * An amount of a resource, exact to a billionth.
 *
 * The rules are those of `resource.Quantity` in k8s.io/apimachinery: fractions finer than nano are
 * rounded away from zero when read, and binary amounts stop at 2^63-1.
 */
export class Quantity {
  readonly format: QuantityFormat
  readonly #nano: bigint

  private constructor(nano: bigint, format: QuantityFormat) {
    this.#nano = nano
    this.format = format
  }

  /** Reads any notation Kubernetes takes, a JSON number included. Throws `KubeError` on anything else. */
  static parse(text: string | number): Quantity {
    const { nano, format } = parseQuantity(typeof text === 'object' ? '' : String(text))
    return new Quantity(nano, format)
  }

  /** `count` whole units, printed in `format`. */
  static of(count: bigint, format: QuantityFormat): Quantity {
    return new Quantity(count * NANO, format)
  }

  /** `count` thousandths of a unit, printed as decimal SI. */
  static ofMilli(count: bigint): Quantity {
    return new Quantity(count * MILLI, 'DecimalSI')
  }

  /** The canonical form, as Kubernetes prints a quantity that went through arithmetic. */
  toString(): string {
    return printQuantity(this.#nano, this.format)
  }

  /** JSON carries a quantity as its canonical text. */
  toJSON(): string {
    return this.toString()
  }

  /** Whole units, a fraction rounded away from zero. */
  value(): bigint {
    return divideAwayFromZero(this.#nano, NANO)
  }

  /** Thousandths of a unit, a finer fraction rounded away from zero. */
  milliValue(): bigint {
    return divideAwayFromZero(this.#nano, MILLI)
  }

  /** The exact amount in billionths of a unit. */
  nanoValue(): bigint {
    return this.#nano
  }

  /** -1, 0 or 1 as this amount is less than, the same as or more than the other, whatever the notation. */
  compare(other: Quantity): -1 | 0 | 1 {
    if (this.#nano === other.#nano) return 0
    return this.#nano < other.#nano ? -1 : 1
  }

  /** The sum, in the format of the first summand that is not zero (`Quantity.Add`). */
  plus(other: Quantity): Quantity {
    return new Quantity(this.#nano + other.#nano, this.#nano === 0n ? other.format : this.format)
  }

  /** So many times the amount. */
  times(count: bigint): Quantity {
    return new Quantity(this.#nano * count, this.format)
  }
}

function divideAwayFromZero(amount: bigint, unit: bigint): bigint {
  const whole = amount / unit
  if (amount % unit === 0n) return whole
  return amount < 0n ? whole - 1n : whole + 1n
}
