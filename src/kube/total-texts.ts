import type { Quantity } from './quantity.ts'

const GIB = 1n << 30n
const NANO = 1_000_000_000n

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
