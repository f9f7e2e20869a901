import type { ExactAmounts } from '../../facts/usage/index.ts'

export { readUnits } from '../../facts/usage/index.ts'
export type Amounts = ExactAmounts

/** The amounts of a pod, as shares of the allocatable amounts of a node, in percent. */
export interface NodeShare {
  readonly allocatable: Amounts
  readonly cpu: number
  readonly memory: number
}

/** What a pod uses at one moment: the 95th percentile over the pods of a DaemonSet. */
export interface Used extends Amounts {
  /** How many pods were measured. */
  readonly pods: number
}

/**
 * What is to be said of a DaemonSet, by the first of these that holds: an add-on sets its size, or its node depends on
 * it; a container is killed, reaches a limit, or a pod waits for room; groups of its own pay; one other size pays;
 * nothing is known of its use; it requests nothing; none of these. Where nothing at all is measured, `uneven` is one
 * size on nodes that differ by more than four times.
 */
export type Verdict = 'leave it' | 'starved' | 'raise' | 'uneven' | 'lower' | 'unset' | 'not measured' | 'fine'

/** One DaemonSet of a cluster. */
export interface ScannedDaemonSet {
  readonly namespace: string
  readonly name: string
  /** Who applies it, such as `Helm release fluent-bit in logging`. */
  readonly owner?: string
  /** The nodes that it runs on; without pods those that it may start on. */
  readonly nodes: number
  /** What a pod of its template requests. */
  readonly request: Amounts
  /** What all its pods request. */
  readonly total: Amounts
  /** Of the smallest and the largest of its nodes, by memory and then cpu. */
  readonly smallest?: NodeShare
  readonly largest?: NodeShare
  readonly used?: Used
  /** Requests beyond what is used, summed over the pods that were measured. */
  readonly unused?: Amounts
  /** What all its pods would request by the first policy of `nodefit init`; undefined where there is none. */
  readonly first?: Amounts
  readonly verdict: Verdict
  /** The figures of the verdict, in words. */
  readonly why: string
}

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
