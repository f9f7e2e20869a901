import { NANO, Quantity } from './quantity.ts'
import type { ResourceQuantities } from './types.ts'

/** Amounts by resource name. */
export type Amounts = Map<string, Quantity>

const NANO_IN_MILLI = 1_000_000n

/**
 * Reads a resource list as the API server stores it: fractions finer than a thousandth are rounded up
 * (`SetDefaults_ResourceList`). Throws `KubeError` on a malformed quantity.
 */
export function amountsOf(quantities: ResourceQuantities | null | undefined): Amounts {
  return new Map(Object.entries(quantities ?? {}).map(([name, text]) => [name, rounded(Quantity.parse(text))]))
}

/** Adds each amount to the sum. */
export function addAmounts(sum: Amounts, more: Amounts): void {
  for (const [name, quantity] of more) sum.set(name, sum.get(name)?.plus(quantity) ?? quantity)
}

/** Raises each amount of the sum to the floor, where it is lower or missing. */
export function raiseAmounts(sum: Amounts, floor: Amounts): void {
  for (const [name, quantity] of floor) {
    const present = sum.get(name)
    if (present === undefined || quantity.compare(present) > 0) sum.set(name, quantity)
  }
}

/** Sets the default of each amount that is missing. */
export function fillAmounts(sum: Amounts, defaults: Amounts): void {
  for (const [name, quantity] of defaults) if (!sum.has(name)) sum.set(name, quantity)
}

/** Writes amounts as a resource list in Kubernetes' JSON. */
export function quantitiesOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, quantity.toString()]))
}

function rounded(quantity: Quantity): Quantity {
  return quantity.nanoValue() % NANO_IN_MILLI === 0n ? quantity : Quantity.ofMilli(quantity.milliValue())
}

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

const GIB = 1n << 30n

/** Formats an amount of cpu in cores. */
export function coresText(cpu: Quantity): string {
  return hundredths(cpu, 1n)
}

/** Formats an amount of memory in GiB. */
export function gibibytesText(memory: Quantity): string {
  return hundredths(memory, GIB)
}

/** Formats an amount in whole units and hundredths, a half rounded up, without trailing zeros. */
function hundredths(amount: Quantity, unit: bigint): string {
  const count = (amount.nanoValue() * 200n + NANO * unit) / (NANO * unit * 2n)
  const [whole, rest] = [count / 100n, count % 100n]
  return rest === 0n ? `${whole}` : `${whole}.${`${rest}`.padStart(2, '0').replace(/0$/, '')}`
}
