import { plural } from '../finding/index.ts'
import type { Quantity } from '../kube/index.ts'
import type { Totals } from './totals.ts'

/**
 * The totals for a summary: what is requested, and what was where that is known and different. `closed` of the pods are on nodes where
 * none would start anew: whether they are there a file cannot say.
 */
export function totalsText({ before, after }: Totals, closed = 0): string {
  const { cpu, memory, pods } = after
  const change = (was: string | undefined, is: string) => (was === undefined || was === is ? is : `${was} -> ${is}`)
  const cores = change(before && coresText(before.cpu), coresText(cpu))
  const gibibytes = change(before && gibibytesText(before.memory), gibibytesText(memory))
  const count = before === undefined || before.pods === pods ? plural(pods, 'pod') : `${before.pods} -> ${pods} pods`
  return `requesting ${cores} cores and ${gibibytes} GiB on ${count}${closed === 0 ? '' : `, ${closed} of them only if they run already`}`
}

const GIB = 1n << 30n
const NANO = 1_000_000_000n

/** An amount of cpu in cores. */
export function coresText(cpu: Quantity): string {
  return hundredths(cpu, 1n)
}

/** An amount of memory in GiB. */
export function gibibytesText(memory: Quantity): string {
  return hundredths(memory, GIB)
}

/** An amount in whole units and hundredths, a half rounded up; digits behind the point that say nothing are left out. */
function hundredths(amount: Quantity, unit: bigint): string {
  const count = (amount.nanoValue() * 200n + NANO * unit) / (NANO * unit * 2n)
  const [whole, rest] = [count / 100n, count % 100n]
  return rest === 0n ? `${whole}` : `${whole}.${`${rest}`.padStart(2, '0').replace(/0$/, '')}`
}
