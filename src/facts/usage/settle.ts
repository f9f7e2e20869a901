import type { Schedule } from '../../kube/index.ts'
import type { History } from './history.ts'
import { settleRegularly } from './regular.ts'
import {
  type InForce,
  type Kill,
  killsAt,
  lastRaise,
  limitThatCounts,
  newestRegular,
  raisedAgainAfter,
  recentRaises,
  type Settled,
} from './settled.ts'

/** What is known of one container in one node group. */
export interface SeriesState {
  readonly history: History
  readonly inForce: InForce
  /** The pods that its DaemonSet wants. */
  readonly pods: number
}

/** The sizes of one container in one node group, and why they are what they are. */
export interface Decision {
  readonly settled?: Settled
  /** What changed them; undefined where they are those of Git. */
  readonly by?: 'regular' | 'kills'
  /** Until when kills raise the limit no more, though they ask for it. */
  readonly heldUntil?: number
}

/** When sizes are settled. */
export interface SettleTimes {
  readonly now: number
  readonly schedule: Schedule
}

/**
 * Settles the sizes of a cluster: at the newest time of the schedule, unless Git has sizes of that time, by what was
 * frozen then; and whenever kills ask for a larger limit. The same rows in Git and the same histories give the same
 * sizes, however often and late it is asked. Keys name a container in a node group.
 */
export function settle(
  inGit: ReadonlyMap<string, Settled>,
  series: ReadonlyMap<string, SeriesState>,
  times: SettleTimes,
): ReadonlyMap<string, Decision> {
  const fire = fireDue(inGit, times)
  return new Map([...series].map(([key, state]) => [key, decisionOf(inGit.get(key), state, fire, times.now)]))
}

/** The newest time of the schedule, if nothing in Git was settled then or later; in milliseconds since 1970. */
export function fireDue(inGit: ReadonlyMap<string, Settled>, { now, schedule }: SettleTimes): number | undefined {
  const fire = schedule.previous(new Date(now))?.getTime()
  return fire !== undefined && newestRegular(inGit.values(), now) >= fire ? undefined : fire
}

function decisionOf(
  inGit: Settled | undefined,
  { history, inForce, pods }: SeriesState,
  fire: number | undefined,
  now: number,
): Decision {
  const { regular, raisedAt = Number.NEGATIVE_INFINITY } = history
  const isOpen = ({ at }: Kill) => at > raisedAt
  const kills = history.kills.filter(isOpen)
  // what Git had and has no more, somebody has taken back
  const isDue = regular !== undefined && regular.at === fire && regular.isInGit !== true
  const evidence = isDue ? regular.evidence : undefined
  const atFire =
    evidence === undefined || fire === undefined
      ? inGit
      : settleRegularly(inGit, { ...evidence, kills: evidence.kills.filter(isOpen) }, fire)
  let settled = atFire
  let heldUntil: number | undefined
  // at the time of each kill: later ones change nothing of what earlier ones have raised
  for (const { at, limit } of kills.toSorted((left, right) => left.at - right.at)) {
    if (at > now || at <= lastRaise(settled) || limit !== limitThatCounts(settled, inForce)) continue
    const answer = answerKills(settled, { kills, inForce, pods }, at)
    if (answer.kind === 'raised') settled = answer.settled
    heldUntil = answer.kind === 'held' && answer.until > now ? answer.until : undefined
  }
  const by = settled !== atFire ? 'kills' : atFire !== inGit ? 'regular' : undefined
  return {
    ...(settled && { settled }),
    ...(by && { by }),
    ...(heldUntil !== undefined && { heldUntil }),
  }
}

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
  const { used, limits, at, why, evidence } = settled ?? {
    ...{ used: {}, limits: {}, at: last, why: 'OOMKilled' as const, evidence: undefined },
  }
  const raised = { ...limits, memory: RAISE * limit }
  return {
    kind: 'raised',
    settled: {
      used,
      limits: raised,
      at,
      why,
      raisedAt: [...recentRaises(settled, now), last],
      ...(evidence && { evidence }),
    },
  }
}

function isOutage(kills: readonly Kill[], pods: number, last: number): boolean {
  if (new Set(kills.map(({ pod }) => pod)).size >= Math.max(LEAST_PODS, SHARE_OF_PODS * pods)) return true
  const ofLastHour = new Map<string, number>()
  for (const { pod, at, count } of kills) if (at > last - HOUR) ofLastHour.set(pod, (ofLastHour.get(pod) ?? 0) + count)
  return [...ofLastHour.values()].some((count) => count >= 2)
}
