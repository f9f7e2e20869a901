import { type Amounts, RESOURCES, type Resource } from './amounts.ts'
import type { Seen } from './seen.ts'
import {
  type InForce,
  type Kill,
  killsAt,
  lastRaise,
  limitThatCounts,
  raisedAgainAfter,
  recentRaises,
  type Settled,
} from './settled.ts'

/** What is known of one container in one node group when the schedule fires. */
export interface Evidence {
  readonly seen?: Seen
  readonly kills: readonly Kill[]
  readonly inForce: InForce
}

const DAY = 86_400_000
const WEEK = 7 * DAY
/** How many days are seen before anything is settled. */
export const LEAST_DAYS = 7
/** A size moves up when more than 15 % are missing, down when more than 20 % are spare, and by no less than these. */
const [UP_PERCENT, DOWN_PERCENT] = [115, 80]
const LEAST_UP: Readonly<Record<Resource, number>> = { cpu: 5, memory: 8 }
const LEAST_DOWN: Readonly<Record<Resource, number>> = { cpu: 10, memory: 16 }
/** One regular time takes away half at most. */
const LARGEST_FALL = 0.5
/** A limit of memory is twice the peak, and is written where that is a tenth above the one in force. */
const [PEAKS, WORTH_PERCENT] = [2, 110]
const LEAST_KILLS = 2
const RAISE = 2
const SHARE_AT_LIMIT = 0.05
/** Memory that is this near its limit all week follows the limit: page cache, or a heap that fills what it gets. */
const [FOLLOWS_PERCENT, HEAP_FOLLOWS_PERCENT] = [85, 70]

/**
 * Returns what is settled for one container in one node group when the schedule fires, by what was seen until then; the
 * same object where nothing changes. Without seven days nothing does. Requests follow steady use, limits only rise. The
 * rules and their numbers were chosen by simulation.
 */
export function settleRegularly(
  settled: Settled | undefined,
  { seen, kills, inForce }: Evidence,
  at: number,
): Settled | undefined {
  if (seen === undefined || seen.days < LEAST_DAYS) return settled
  const limit = limitThatCounts(settled, inForce)
  const killed = limit === undefined ? [] : killsAt(limit, kills, Math.max(at - WEEK, lastRaise(settled)), at)
  const follows = killed.length === 0 && followsLimit(seen, inForce)
  const used = usedFrom(settled?.used ?? {}, seen.used)
  const isKilled = countOf(killed) >= LEAST_KILLS && raisedAgainAfter(settled, at) === undefined
  const memory = follows ? settled?.limits.memory : memoryLimit(settled, seen, inForce, isKilled ? limit : undefined)
  const cpu = cpuLimit(settled, seen, inForce)
  const limits = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }
  const isRaised = isKilled && memory !== settled?.limits.memory
  if (settled !== undefined && isSame(used, settled.used) && isSame(limits, settled.limits)) return settled
  if (settled === undefined && isSame(used, {}) && isSame(limits, {})) return undefined
  return { used, limits, at, why: 'Regular', raisedAt: [...recentRaises(settled, at), ...(isRaised ? [at] : [])] }
}

/**
 * Whether memory stays near its limit through the week, which a larger limit may not change. The limit stays then; the
 * request follows use whatever the memory is made of, since a node evicts first what uses more than it requests.
 */
export function followsLimit({ week }: Seen, { limits, hasHeapByLimit }: InForce): boolean {
  const percent = hasHeapByLimit ? HEAP_FOLLOWS_PERCENT : FOLLOWS_PERCENT
  return limits.memory !== undefined && 100 * week.medianMemory >= percent * limits.memory
}

function usedFrom(settled: Amounts, seen: Amounts): Amounts {
  return Object.fromEntries(
    RESOURCES.flatMap((resource) => {
      const is = seen[resource]
      const next = is === undefined ? settled[resource] : nextSize(settled[resource], is, resource)
      return next === undefined ? [] : [[resource, next]]
    }),
  )
}

function nextSize(was: number | undefined, is: number, resource: Resource): number {
  if (was === undefined) return is
  if (100 * is > UP_PERCENT * was && is - was >= LEAST_UP[resource]) return is
  if (100 * is < DOWN_PERCENT * was && was - is >= LEAST_DOWN[resource])
    return Math.max(is, Math.ceil(was * LARGEST_FALL))
  return was
}

/**
 * The settled limit of memory, or more: twice the peak, which the first row has in any case, and twice the limit at
 * which containers were killed.
 */
function memoryLimit(
  settled: Settled | undefined,
  { peakMemory }: Seen,
  { limits }: InForce,
  killedAt: number | undefined,
): number | undefined {
  if (limits.memory === undefined) return settled?.limits.memory
  const byPeak = PEAKS * peakMemory
  // until now the limit in force may have been a neighbour's: a group that has its own row borrows no more
  const isFirst = settled === undefined || isSame(settled.used, {})
  const wanted = [
    ...(isFirst || 100 * byPeak > WORTH_PERCENT * limits.memory ? [byPeak] : []),
    ...(killedAt === undefined ? [] : [RAISE * killedAt]),
    ...(settled?.limits.memory === undefined ? [] : [settled.limits.memory]),
  ]
  return wanted.length === 0 ? undefined : Math.max(...wanted)
}

function cpuLimit(settled: Settled | undefined, { week }: Seen, { limits }: InForce): number | undefined {
  const was = settled?.limits.cpu
  if (limits.cpu === undefined || week.shareAtLimit <= SHARE_AT_LIMIT) return was
  // a limit that is settled and not in force yet has had no chance
  return Math.max(was ?? 0, RAISE * limits.cpu)
}

function countOf(kills: readonly Kill[]): number {
  return kills.reduce((sum, { count }) => sum + count, 0)
}

function isSame(left: Amounts, right: Amounts): boolean {
  return RESOURCES.every((resource) => left[resource] === right[resource])
}
