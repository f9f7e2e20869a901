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

/** What happens to one container in one node group at this moment. */
export interface Trouble {
  readonly kills: readonly Kill[]
  readonly inForce: InForce
  /** The pods that its DaemonSet wants. */
  readonly pods: number
}

/** What kills ask for at once: a raise of the limit, or that a person looks, since it was raised three times. */
export type Answer =
  | { readonly kind: 'none' }
  | { readonly kind: 'raised'; readonly settled: Settled }
  | { readonly kind: 'held'; readonly until: number }

const HOUR = 3_600_000
const DAY = 24 * HOUR
const RAISE = 2
const LEAST_PODS = 2
const SHARE_OF_PODS = 0.05

/**
 * Doubles the limit of memory at once where kills are an outage: one container is killed twice within an hour, or one
 * in twenty of the pods, two or more, within a day, at the limit in force. Three times within fourteen days; then a
 * person has to look.
 */
export function answerKills(settled: Settled | undefined, { kills, inForce, pods }: Trouble, now: number): Answer {
  const limit = limitThatCounts(settled, inForce)
  if (limit === undefined) return { kind: 'none' }
  const ofDay = killsAt(limit, kills, Math.max(now - DAY, lastRaise(settled)), now)
  const last = Math.max(...ofDay.map(({ at }) => at))
  if (!isOutage(ofDay, pods, last)) return { kind: 'none' }
  const until = raisedAgainAfter(settled, now)
  if (until !== undefined) return { kind: 'held', until }
  const { used, limits, at, why } = settled ?? { used: {}, limits: {}, at: last, why: 'OOMKilled' as const }
  const raised = { ...limits, memory: RAISE * limit }
  return { kind: 'raised', settled: { used, limits: raised, at, why, raisedAt: [...recentRaises(settled, now), last] } }
}

function isOutage(kills: readonly Kill[], pods: number, last: number): boolean {
  if (new Set(kills.map(({ pod }) => pod)).size >= Math.max(LEAST_PODS, SHARE_OF_PODS * pods)) return true
  const ofLastHour = new Map<string, number>()
  for (const { pod, at, count } of kills) if (at > last - HOUR) ofLastHour.set(pod, (ofLastHour.get(pod) ?? 0) + count)
  return [...ofLastHour.values()].some((count) => count >= 2)
}
