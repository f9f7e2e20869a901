import type { QuantityFormat } from './quantity-format.ts'
import { NANO } from './quantity-parse.ts'

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

/** `CanonicalizeBytes` of resource.Quantity: no fraction, the largest suffix that loses nothing. */
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
