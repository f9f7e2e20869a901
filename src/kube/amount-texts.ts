import type { Quantity } from './quantity.ts'
import { NANO } from './quantity-text.ts'

const UNITS: Readonly<Record<'cpu' | 'memory', ReadonlyArray<readonly [suffix: string, nano: bigint]>>> = {
  cpu: [
    ['', NANO],
    ['m', NANO / 1000n],
  ],
  memory: [
    ['Ti', NANO << 40n],
    ['Gi', NANO << 30n],
    ['Mi', NANO << 20n],
    ['Ki', NANO << 10n],
  ],
}

/**
 * Formats amounts of one resource in one unit, so that a reader compares numbers: the largest in which each is a whole
 * number or at least one, rounded to tenths; `200Mi` and `601Mi`, not `200Mi` and `0.6Gi`. Without digits lost: whole
 * cores stay cores, and millicores are never rounded. A resource may be a quota's, such as `requests.cpu`; others than
 * cpu, memory and storage are in canonical form.
 */
export function amountTexts(resource: string, amounts: readonly Quantity[]): string[] {
  const kind = unitKind(resource)
  const units = kind === undefined ? [] : UNITS[kind]
  const values = amounts.map((amount) => amount.nanoValue()).filter((value) => value !== 0n)
  const isExact = (unit: bigint) => values.every((value) => value % unit === 0n)
  const isReadable = (unit: bigint) => kind === 'memory' && values.every((value) => value >= unit * 10n)
  const [suffix, unit] = units.find(([, one]) => isExact(one) || isReadable(one)) ?? ['', 0n]
  if (unit === 0n || values.length === 0) return amounts.map(String)
  return amounts.map((amount) => `${tenths(amount.nanoValue(), unit)}${suffix}`)
}

/** Which units a resource has; undefined for one that is counted. */
function unitKind(resource: string): keyof typeof UNITS | undefined {
  const name = resource.split('.').at(-1) ?? ''
  if (name === 'cpu') return name
  return name === 'memory' || name === 'storage' || name === 'ephemeral-storage' ? 'memory' : undefined
}

/** Formats amounts of one resource as `amountTexts` does; undefined amounts are `none`. */
export function changeTexts(resource: string, amounts: ReadonlyArray<Quantity | undefined>): string[] {
  const known = amounts.filter((amount) => amount !== undefined)
  const texts = new Map(amountTexts(resource, known).map((text, index) => [known[index], text]))
  return amounts.map((amount) => texts.get(amount) ?? 'none')
}

/** Formats an amount in units and tenths, a half rounded up. */
function tenths(amount: bigint, unit: bigint): string {
  const count = (amount * 20n + unit) / (2n * unit)
  return count % 10n === 0n ? `${count / 10n}` : `${count / 10n}.${count % 10n}`
}
