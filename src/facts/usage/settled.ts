import type { Amounts } from './amounts.ts'

/** The sizes that usage has come to for one container in one node group: what is rendered, and stands in Git. */
export interface Settled {
  /** What requests are made of. */
  readonly used: Amounts
  /** Limits that usage asks for; absent where those of the policy or the template have sufficed. */
  readonly limits: Amounts
  /** When: the time of the schedule, of the import, or of the kill that raised a limit before anything was settled. */
  readonly at: number
  readonly why: SettledWhy
  /** What an import was made of; absent where it is not known. */
  readonly evidence?: EvidenceKind
  /** When kills raised the limit of memory, in the last fourteen days. */
  readonly raisedAt: readonly number[]
}

/** What the amounts of a container are known from, the best first. */
export type EvidenceKind = 'Days' | 'Counters' | 'Watch' | 'Sample'

export type SettledWhy = 'Regular' | 'OOMKilled' | 'Imported'

/** A container that the kernel killed for want of memory. */
export interface Kill {
  /** The pod's uid. */
  readonly pod: string
  readonly at: number
  /** The limit that it was killed at; absent where the pod had none. */
  readonly limit?: number
  /** How many kills this stands for: a restart count that rose by more than one. */
  readonly count: number
}

/** The limits that the containers of a node group run with. */
export interface InForce {
  readonly limits: Amounts
  /** Whether the heap is sized by the limit: GOMEMLIMIT, or an env that is read from limits.memory. */
  readonly hasHeapByLimit: boolean
}

/**
 * The limit of memory that counts: the one in force, or a higher one that is settled and on its way. A kill below it
 * was answered; one above it was before somebody lowered it.
 */
export function limitThatCounts(settled: Settled | undefined, { limits }: InForce): number | undefined {
  return limits.memory === undefined ? undefined : Math.max(limits.memory, settled?.limits.memory ?? 0)
}

/** The kills at a limit after a moment and until another. Those at another limit say nothing of it. */
export function killsAt(limit: number, kills: readonly Kill[], from: number, until: number): readonly Kill[] {
  return kills.filter((kill) => kill.at > from && kill.at <= until && kill.limit === limit)
}

/** When kills last raised the limit: those until then were answered. */
export function lastRaise(settled: Settled | undefined): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...(settled?.raisedAt ?? []))
}

const DAY = 86_400_000
const MOST_AHEAD = 7 * DAY

/**
 * The newest regular time of these. One that is more than a week ahead was written by hand, or by a clock that was
 * wrong: it would settle nothing until then. Minus infinity of none.
 */
export function newestRegular(all: Iterable<Settled>, now: number): number {
  const regular = [...all].filter(({ why, at }) => why === 'Regular' && at < now + MOST_AHEAD)
  return Math.max(Number.NEGATIVE_INFINITY, ...regular.map(({ at }) => at))
}

const MOST_RAISES = 3
const RAISES_COUNT_FOR = 14 * DAY

/** The raises of the last fourteen days. */
export function recentRaises(settled: Settled | undefined, now: number): readonly number[] {
  return (settled?.raisedAt ?? []).filter((at) => at > now - RAISES_COUNT_FOR)
}

/** When the limit may be raised for kills again; undefined if it may be now. */
export function raisedAgainAfter(settled: Settled | undefined, now: number): number | undefined {
  const raises = recentRaises(settled, now)
  return raises.length < MOST_RAISES ? undefined : Math.min(...raises) + RAISES_COUNT_FOR
}
