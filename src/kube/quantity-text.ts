import { KubeError } from './error.ts'

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
export function parseQuantity(text: string): { nano: bigint; format: QuantityFormat } {
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
export function printQuantity(nano: bigint, format: QuantityFormat): string {
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
