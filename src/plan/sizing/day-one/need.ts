import type { EvidenceKind } from '../../../facts/usage/index.ts'
import type { Resource } from '../../../kinds/index.ts'

/** Amounts of a container: cpu in thousandths of a core, memory in MiB. Absent: not known, or not set. */
export type Sizes = Readonly<Partial<Record<Resource, number>>>

/** What a kind of evidence is worth. */
interface Worth {
  /** What the ninth of ten pods shows is multiplied by, in percent. */
  readonly percent: Readonly<Record<Resource, number>>
  /** By which factor it may move today's request, either way; absent without bound. */
  readonly most: Readonly<Partial<Record<Resource, number>>>
}

/**
 * One look takes away half at most: an agent that sleeps on Sundays is else above its request half of the week
 * (docs/adr/0037-day-one.md).
 */
export const WORTH: Readonly<Record<EvidenceKind, Worth>> = {
  Days: { percent: { cpu: 100, memory: 100 }, most: {} },
  Counters: { percent: { cpu: 150, memory: 110 }, most: { memory: 2 } },
  Watch: { percent: { cpu: 130, memory: 110 }, most: { cpu: 2, memory: 2 } },
  Sample: { percent: { cpu: 130, memory: 110 }, most: { cpu: 2, memory: 2 } },
}

/** `usage.marginPercent` where a policy does not set it: what a render adds to a row. */
export const MARGIN_PERCENT = 15

/** The least request that is proposed. */
const LEAST: Readonly<Record<Resource, number>> = { cpu: 10, memory: 16 }
/** One or two pods say little of the next node of their size: a third more cpu. */
const FEW_PODS = 2
const MOST_OF_MEDIAN = 3

/**
 * Returns what some pods of nodes of one size need: the ninth of ten by nearest rank, of fewer than ten the highest. Of
 * three or more none counts for more than three times the median: one noisy node makes no size. Undefined of none.
 */
export function needOf(amounts: readonly number[]): number | undefined {
  if (amounts.length === 0) return undefined
  const sorted = amounts.toSorted((a, b) => a - b)
  const highest = sorted[Math.ceil((sorted.length * 9) / 10) - 1] ?? 0
  return sorted.length < 3 ? highest : Math.min(highest, MOST_OF_MEDIAN * medianOf(sorted))
}

/** The median of sorted amounts: of an even number the mean of the two in the middle. */
export function medianOf(sorted: readonly number[]): number {
  const half = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(half) - 1] ?? 0, sorted[Math.floor(half)] ?? 0]
  return (low + high) / 2
}

/** A request as a row of a WorkloadSnapshot gives it. */
export interface Sized {
  /** What stands in the row. */
  readonly row: number
  /** What a render makes of it. */
  readonly size: number
}

/** What a size is made of. */
export interface SizeInput {
  readonly resource: Resource
  readonly need: number
  readonly kind: EvidenceKind
  /** Today's request, and the limit that the request may not exceed; absent where none is set. */
  readonly today?: number | undefined
  readonly limit?: number | undefined
  /** How many pods were measured. */
  readonly pods: number
  /** Whether too few of these pods are measured: all keep at least what they have. */
  readonly isPartial?: boolean
  /** Whether the amount follows its limit: it can hardly grow, so nothing is added to it. */
  readonly followsLimit?: boolean
}

/**
 * Returns the request for a need. Today's stays where the need fits it and only the margin does not; then the evidence
 * bounds how far it moves. No request exceeds its limit. A container without a request has nothing to move from:
 * undefined where the evidence is bounded.
 */
export function sizeFor(input: SizeInput): Sized | undefined {
  const { resource, need, kind, today, limit, pods, isPartial, followsLimit } = input
  const { percent, most } = WORTH[kind]
  const bound = most[resource]
  if (today === undefined && bound !== undefined) return undefined
  const few = resource === 'cpu' && pods <= FEW_PODS ? 4 / 3 : 1
  const needed = need * few
  const wanted = Math.max(
    followsLimit ? up(needed) : up((needed * percent[resource] * (100 + MARGIN_PERCENT)) / 10_000),
    LEAST[resource],
    isPartial ? (today ?? 0) : 0,
  )
  const ceiling = limit ?? Number.POSITIVE_INFINITY
  if (today === undefined) return wanted > ceiling ? atMost(ceiling) : atLeast(wanted)
  if (wanted > today && needed <= today) return keeping(today, needed, ceiling)
  const least = bound === undefined ? 0 : Math.ceil(today / bound)
  const greatest = Math.min(bound === undefined ? Number.POSITIVE_INFINITY : today * bound, ceiling)
  const within = Math.max(wanted, Math.min(least, greatest))
  return within > greatest ? atMost(greatest) : atLeast(within)
}

/**
 * The row that keeps today's amount; not every amount can be had with the margin. It is rounded down where the need
 * still fits, or where the limit is no larger.
 */
export function keeping(today: number, needed: number, limit = Number.POSITIVE_INFINITY): Sized {
  const [below, above] = [atMost(today), atLeast(today)]
  return below.size >= needed || above.size > limit ? below : above
}

/** Whether a size is today's, as near as a row can come to it. */
export function isTodays(size: number, today: number | undefined): boolean {
  return today !== undefined && (size === today || size === atMost(today).size || size === atLeast(today).size)
}

/** The least row that renders an amount or more. */
function atLeast(amount: number): Sized {
  let row = Math.max(0, Math.floor((amount * 100) / (100 + MARGIN_PERCENT)))
  while (rendered(row) < amount) row++
  return { row, size: rendered(row) }
}

/** The largest row that renders no more than an amount. */
function atMost(amount: number): Sized {
  const { row, size } = atLeast(amount)
  return size > amount && row > 0 ? { row: row - 1, size: rendered(row - 1) } : { row, size }
}

function rendered(row: number): number {
  return Math.ceil((row * (100 + MARGIN_PERCENT)) / 100)
}

/** Rounds up what is no more than an error of arithmetic above a whole number down to it. */
function up(amount: number): number {
  return Math.ceil(Math.round(amount * 1e6) / 1e6)
}
