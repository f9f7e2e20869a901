import type { Schedule } from '../../kube/index.ts'
import type { History } from './history.ts'
import { settleRegularly } from './regular.ts'
import { type InForce, type Kill, lastRaise, limitThatCounts, newestRegular, type Settled } from './settled.ts'
import { answerKills } from './urgent.ts'

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
