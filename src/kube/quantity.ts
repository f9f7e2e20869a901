import { unlessMalformed } from './error.ts'
import { NANO, parseQuantity, printQuantity, type QuantityFormat } from './quantity-text.ts'

const MILLI = 1_000_000n

/**
 * An amount of a resource, exact to a billionth.
 *
 * Follows `resource.Quantity` of k8s.io/apimachinery: parsing rounds fractions finer than nano away from zero, and
 * binary amounts are capped at 2^63-1.
 */
export class Quantity {
  readonly format: QuantityFormat
  readonly #nano: bigint

  private constructor(nano: bigint, format: QuantityFormat) {
    this.#nano = nano
    this.format = format
  }

  /** Parses any notation that Kubernetes accepts, JSON numbers included. Throws `KubeError` on anything else. */
  static parse(text: string | number): Quantity {
    const { nano, format } = parseQuantity(typeof text === 'object' ? '' : String(text))
    return new Quantity(nano, format)
  }

  /** Returns `count` whole units, printed in `format`. */
  static of(count: bigint, format: QuantityFormat): Quantity {
    return new Quantity(count * NANO, format)
  }

  /** Returns `count` thousandths of a unit, printed as decimal SI. */
  static ofMilli(count: bigint): Quantity {
    return new Quantity(count * MILLI, 'DecimalSI')
  }

  /** Returns the canonical form, as Kubernetes prints a quantity after arithmetic. */
  toString(): string {
    return printQuantity(this.#nano, this.format)
  }

  /** Returns the canonical form, as a quantity is stored in JSON. */
  toJSON(): string {
    return this.toString()
  }

  /** Returns whole units, a fraction rounded away from zero. */
  value(): bigint {
    return divideAwayFromZero(this.#nano, NANO)
  }

  /** Returns thousandths of a unit, a finer fraction rounded away from zero. */
  milliValue(): bigint {
    return divideAwayFromZero(this.#nano, MILLI)
  }

  /** Returns the exact amount in billionths of a unit. */
  nanoValue(): bigint {
    return this.#nano
  }

  /** Returns -1, 0 or 1 if this amount is less than, equal to or more than the other, in whatever notation. */
  compare(other: Quantity): -1 | 0 | 1 {
    if (this.#nano === other.#nano) return 0
    return this.#nano < other.#nano ? -1 : 1
  }

  /** Returns the sum, in the format of the first operand that is not zero (`Quantity.Add`). */
  plus(other: Quantity): Quantity {
    return new Quantity(this.#nano + other.#nano, this.#nano === 0n ? other.format : this.format)
  }

  /** Returns the amount multiplied by a count. */
  times(count: bigint): Quantity {
    return new Quantity(this.#nano * count, this.format)
  }
}

/** Parses an amount that nobody has checked; undefined for what is no quantity. */
export function readQuantity(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return unlessMalformed(() => Quantity.parse(value))
}

/** Parses an amount of which there cannot be less than none; undefined for what is no such quantity. */
export function readAmount(value: unknown): Quantity | undefined {
  const quantity = readQuantity(value)
  return quantity === undefined || quantity.nanoValue() < 0n ? undefined : quantity
}

function divideAwayFromZero(amount: bigint, unit: bigint): bigint {
  const whole = amount / unit
  if (amount % unit === 0n) return whole
  return amount < 0n ? whole - 1n : whole + 1n
}
