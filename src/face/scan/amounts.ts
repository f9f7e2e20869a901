import { readQuantity, units } from '../../kube/index.ts'

const MEBIBYTE = 2n ** 20n
const GIBIBYTE = 2n ** 30n

/** Formats an amount of a pod: cpu in thousandths of a core, memory in MiB, rounded up. */
export function amountText(resource: 'cpu' | 'memory', amount: bigint): string {
  return resource === 'cpu' ? `${amount}m` : `${(amount + MEBIBYTE - 1n) / MEBIBYTE}Mi`
}

/** Formats an amount of a node or a fleet in cores or GiB, with one decimal below 100. */
export function sizeText(resource: 'cpu' | 'memory', amount: bigint): string {
  return `${decimal(resource, amount)} ${UNITS[resource]}`
}

/** Formats two such amounts as a range: `1.9 to 31.9 cores`. */
export function rangeText(resource: 'cpu' | 'memory', low: bigint, high: bigint): string {
  return `${decimal(resource, low)} to ${sizeText(resource, high)}`
}

const UNITS = { cpu: 'cores', memory: 'GiB' } as const

function decimal(resource: 'cpu' | 'memory', amount: bigint): string {
  const tenths = resource === 'cpu' ? (amount + 50n) / 100n : (amount * 10n + GIBIBYTE / 2n) / GIBIBYTE
  return tenths >= 1000n || tenths % 10n === 0n ? `${(tenths + 5n) / 10n}` : `${tenths / 10n}.${tenths % 10n}`
}

/** Reads a quantity in thousandths of a core or in bytes, rounded up; undefined for none, and for malformed text. */
export function readUnits(resource: 'cpu' | 'memory', text: unknown): bigint | undefined {
  const quantity = readQuantity(text)
  return quantity === undefined ? undefined : units(resource, quantity)
}
