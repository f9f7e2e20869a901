import { KubeError, unlessMalformed } from './error.ts'

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

/** How a quantity was written, which decides how it is printed. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** One unit in billionths, the precision that Kubernetes keeps. */
export const NANO = 1_000_000_000n

const BINARY_LIMIT = ((1n << 63n) - 1n) * NANO

/** A larger exponent would only exhaust memory; no real amount needs it. */
const LARGEST_EXPONENT = 300

const DECIMAL_SUFFIXES: Record<string, number> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}

const BINARY_SUFFIXES: Record<string, bigint> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n }

const SHAPE = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)$/
const LONGEST = 1024

interface Scale {
  decimal: number
  binary: bigint
  format: QuantityFormat
}

/** Parses a quantity as `ParseQuantity` of k8s.io/apimachinery/pkg/api/resource does, into exact billionths. */
function parseQuantity(text: string): { nano: bigint; format: QuantityFormat } {
  const match = text.length > 0 && text.length <= LONGEST ? SHAPE.exec(text) : null
  if (match === null) {
    throw new KubeError(
      'QuantityFormat',
      text,
      `"${shorten(text)}" is not a quantity: write a number with an optional suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei) or exponent, such as 100m, 2 or 1536Mi`,
    )
  }
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match
  const scale = scaleOf(suffix, text)
  const unscaled = BigInt(`${whole}${fraction}` || '0') << scale.binary
  let nano = shiftDecimal(unscaled, scale.decimal - fraction.length + 9)
  let format = scale.format
  if (format === 'BinarySI') {
    if (nano > BINARY_LIMIT) nano = BINARY_LIMIT
    if (nano > 0n && nano < NANO) format = 'DecimalSI'
  }
  return { nano: sign === '-' ? -nano : nano, format }
}

function scaleOf(suffix: string, text: string): Scale {
  const decimal = Object.hasOwn(DECIMAL_SUFFIXES, suffix) ? DECIMAL_SUFFIXES[suffix] : undefined
  if (decimal !== undefined) return { decimal, binary: 0n, format: 'DecimalSI' }
  const binary = Object.hasOwn(BINARY_SUFFIXES, suffix) ? BINARY_SUFFIXES[suffix] : undefined
  if (binary !== undefined) return { decimal: 0, binary, format: 'BinarySI' }
  if (/^[eE][+-]?[0-9]+$/.test(suffix)) {
    const exponent = Number(suffix.slice(1))
    if (Math.abs(exponent) > LARGEST_EXPONENT) {
      throw new KubeError('QuantityRange', text, `"${shorten(text)}" has an exponent above ${LARGEST_EXPONENT}`)
    }
    return { decimal: exponent, binary: 0n, format: 'DecimalExponent' }
  }
  throw new KubeError(
    'QuantitySuffix',
    text,
    `"${shorten(text)}" has the unknown suffix "${shorten(suffix)}": use n u m k M G T P E or Ki Mi Gi Ti Pi Ei`,
  )
}

/** Returns amount x 10^places, rounded up, so that no positive request becomes zero. */
function shiftDecimal(amount: bigint, places: number): bigint {
  if (places >= 0) return amount * 10n ** BigInt(places)
  const divisor = 10n ** BigInt(-places)
  return (amount + divisor - 1n) / divisor
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const DECIMAL_NAMES: Record<number, string> = {
  [-9]: 'n',
  [-6]: 'u',
  [-3]: 'm',
  0: '',
  3: 'k',
  6: 'M',
  9: 'G',
  12: 'T',
  15: 'P',
  18: 'E',
}
const BINARY_NAMES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/** Prints the canonical form (`CanonicalizeBytes`): no fraction, and the largest suffix that loses no digits. */
function printQuantity(nano: bigint, format: QuantityFormat): string {
  if (nano === 0n) return '0'
  if (format === 'BinarySI' && isPrintedBinary(nano)) return printBinary(nano / NANO)
  return printDecimal(nano, format === 'DecimalExponent')
}

function isPrintedBinary(nano: bigint): boolean {
  const size = nano < 0n ? -nano : nano
  return size >= 1024n * NANO && nano % NANO === 0n
}

function printBinary(units: bigint): string {
  let amount = units
  let step = 0
  while (step < BINARY_NAMES.length - 1 && amount % 1024n === 0n) {
    amount /= 1024n
    step++
  }
  return `${amount}${BINARY_NAMES[step]}`
}

function printDecimal(nano: bigint, asExponent: boolean): string {
  let amount = nano
  let exponent = -9
  while (amount % 1000n === 0n && (asExponent || exponent < 18)) {
    amount /= 1000n
    exponent += 3
  }
  if (!asExponent) return `${amount}${DECIMAL_NAMES[exponent]}`
  return exponent === 0 ? `${amount}` : `${amount}e${exponent}`
}

export const INT64_MAX = (1n << 63n) - 1n
export const INT64_MIN = -(1n << 63n)

/** Parses a decimal integer as Go's `strconv.ParseInt(text, 10, 64)` does; undefined where Go returns an error. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 1024) return undefined
  const value = text.startsWith('+') ? BigInt(text.slice(1)) : BigInt(text)
  return value > INT64_MAX || value < INT64_MIN ? undefined : value
}

/** Parses an integer in canonical spelling (no +, no leading zero), which numeric tolerations require. */
export function parseCanonicalInt64(text: string): bigint | undefined {
  return /^(0|-?[1-9][0-9]*)$/.test(text) ? parseInt64(text) : undefined
}

/** A range of 64-bit integers, both ends included. */
export type Int64Range = readonly [from: bigint, to: bigint]

/** Ascending ranges that neither overlap nor touch. */
export type Int64Ranges = readonly Int64Range[]

export const ALL_INT64: Int64Ranges = [[INT64_MIN, INT64_MAX]]

/** Returns the 64-bit integers greater than the bound. */
export function rangesAbove(bound: bigint): Int64Ranges {
  return bound < INT64_MAX ? [[bound + 1n, INT64_MAX]] : []
}

/** Returns the 64-bit integers less than the bound. */
export function rangesBelow(bound: bigint): Int64Ranges {
  return bound > INT64_MIN ? [[INT64_MIN, bound - 1n]] : []
}

/** Whether one of the ranges contains the integer. */
export function rangesContain(ranges: Int64Ranges, integer: bigint): boolean {
  return ranges.some(([from, to]) => from <= integer && integer <= to)
}

/** Whether the ranges contain every 64-bit integer. */
export function containAllInt64(ranges: Int64Ranges): boolean {
  return ranges[0]?.[0] === INT64_MIN && ranges[0][1] === INT64_MAX
}

/** Returns the integers for which `belongs` returns true, given whether `left` and `right` contain them. */
export function combineRanges(
  left: Int64Ranges,
  right: Int64Ranges,
  belongs: (inLeft: boolean, inRight: boolean) => boolean,
): Int64Ranges {
  const starts = [...new Set([INT64_MIN, ...[...left, ...right].flatMap(([from, to]) => [from, to + 1n])])]
    .filter((start) => start <= INT64_MAX)
    .sort((a, b) => (a < b ? -1 : 1))
  const combined: Array<[bigint, bigint]> = []
  for (const [index, from] of starts.entries()) {
    if (!belongs(rangesContain(left, from), rangesContain(right, from))) continue
    const to = (starts[index + 1] ?? INT64_MAX + 1n) - 1n
    const last = combined.at(-1)
    if (last !== undefined && last[1] + 1n === from) last[1] = to
    else combined.push([from, to])
  }
  return combined
}
