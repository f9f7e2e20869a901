import type { Ages } from './ages.ts'
import { type Day, dayOf, type Hour } from './hour.ts'
import type { Evidence } from './regular.ts'
import { dateOf, seenBefore, WINDOW } from './seen.ts'
import { type InForce, type Kill, recentRaises, type Settled } from './settled.ts'

/**
 * What is known of one container in one node group: the days that have ended, the hours of today, kills, and what was
 * known when the schedule last fired. It is a cache: losing it loses days, and changes no size.
 */
export interface History {
  readonly days: readonly Day[]
  readonly today: Today
  readonly kills: readonly Kill[]
  readonly regular?: Regular
  /** What containers use of memory by their age, as of the newest hour that has such containers. */
  readonly ages?: Ages
  /** When kills last raised the limit, as Git was seen to have it: they were answered, whoever takes that back. */
  readonly raisedAt?: number
}

interface Today {
  /** In UTC, as `2026-11-12`. */
  readonly date: string
  readonly hours: readonly Hour[]
}

/**
 * What was known when the schedule fired. Whatever is decided of that time is decided from it, however often and late:
 * what is seen after it waits for the next time.
 */
export interface Regular {
  readonly at: number
  readonly evidence: Evidence
  /** Whether Git was seen to have sizes of that time, or a later one: who takes them back means it. */
  readonly isInGit?: boolean
}

const DAY = 86_400_000

/** Nothing is known yet. */
export const NO_HISTORY: History = { days: [], today: { date: '', hours: [] }, kills: [] }

/**
 * Adds an hour that ended at a moment; a day ends with its last hour, or with the first hour of a later one. An hour of
 * an earlier day than the newest is left out: the clock went back.
 */
export function withHour(history: History, hour: Hour | undefined, endedAt: number): History {
  const date = dateOf(endedAt - 1)
  if (date < history.today.date) return history
  const before = date === history.today.date ? history : withDayEnded(history, endedAt)
  const hours = [...(before.today.date === date ? before.today.hours : []), ...(hour === undefined ? [] : [hour])]
  const now = { ...before, today: { date, hours } }
  return dateOf(endedAt) === date ? now : withDayEnded(now, endedAt)
}

/** Ends today: it becomes a day, if enough of its hours count. What is older than fourteen days goes. */
function withDayEnded(history: History, now: number): History {
  const { date, hours } = history.today
  const day = history.days.some((one) => one.date === date) ? undefined : dayOf(date, hours)
  const first = dateOf(now - WINDOW * DAY)
  return {
    ...history,
    days: [...history.days, ...(day === undefined ? [] : [day])].filter((one) => one.date >= first),
    today: { date: dateOf(now), hours: [] },
  }
}

/** The kills that are kept of a series; a fleet that is killed over and over has no end of them. */
const MOST_KILLS = 500
const HOUR = 3_600_000

/**
 * Adds a kill. Those older than fourteen days go. One that is no newer than the newest of its pod was seen before.
 * Where there are too many, the oldest is counted with the next one of its pod within an hour, or goes.
 */
export function withKill(history: History, kill: Kill, now: number): History {
  const recent = history.kills.filter(({ at }) => at > now - WINDOW * DAY)
  if (recent.some(({ pod, at }) => pod === kill.pod && at >= kill.at)) return { ...history, kills: recent }
  const kills = [...recent, kill].sort((left, right) => left.at - right.at)
  return { ...history, kills: kills.length <= MOST_KILLS ? kills : withoutOldest(kills) }
}

function withoutOldest([oldest, ...kills]: readonly Kill[]): readonly Kill[] {
  if (oldest === undefined) return []
  const later = kills.findIndex(
    ({ pod, limit, at }) => pod === oldest.pod && limit === oldest.limit && at < oldest.at + HOUR,
  )
  return kills.map((kill, index) => (index === later ? { ...kill, count: kill.count + oldest.count } : kill))
}

/** Leaves out what a clock that was ahead has written: what is of a later time than now. */
export function notAfter(history: History, now: number): History {
  const { days, today, kills, regular, raisedAt, ...rest } = history
  const date = dateOf(now)
  return {
    ...rest,
    days: days.filter((day) => day.date < date),
    today: today.date > date ? NO_HISTORY.today : today,
    kills: kills.filter(({ at }) => at <= now),
    ...(regular !== undefined && regular.at <= now && { regular }),
    ...(raisedAt !== undefined && raisedAt <= now && { raisedAt }),
  }
}

/** Joins what was kept before with what a process has learned since, in the hours after it. */
export function mergeHistories(kept: History, since: History): History {
  if (since === NO_HISTORY) return kept
  const [earlier, later] = kept.today.date > since.today.date ? [since, kept] : [kept, since]
  const isSameDay = kept.today.date === since.today.date
  const ended = isSameDay ? kept : withDayEnded(earlier, Date.parse(later.today.date))
  const days = new Map([...since.days, ...kept.days, ...ended.days].map((day) => [day.date, day]))
  const hours = isSameDay ? [...kept.today.hours, ...since.today.hours] : later.today.hours
  const joined: History = {
    ...since,
    ...kept,
    days: [...days.values()].sort((left, right) => (left.date < right.date ? -1 : 1)),
    today: { date: later.today.date, hours },
    ...(since.ages && { ages: { ...kept.ages, ...since.ages } }),
    ...(since.raisedAt !== undefined && { raisedAt: Math.max(since.raisedAt, kept.raisedAt ?? since.raisedAt) }),
  }
  return since.kills.reduce((history, kill) => withKill(history, kill, kill.at), joined)
}

/** Remembers what is known when the schedule fires; the same object if that was done before. */
export function atFire(history: History, fire: number, inForce: InForce): History {
  if (history.regular !== undefined && history.regular.at >= fire) return history
  const seen = seenBefore(history.days, fire)
  const kills = history.kills.filter(({ at }) => at <= fire)
  return { ...history, regular: { at: fire, evidence: { ...(seen && { seen }), kills, inForce } } }
}

/**
 * Remembers what Git has: sizes of the newest regular time of the cluster, and the newest raise of this series until
 * now. The same object if that was known. A commit that is reverted is decided no second time.
 */
export function withGit(history: History, settled: Settled | undefined, regularAt: number, now: number): History {
  const { regular, raisedAt = Number.NEGATIVE_INFINITY } = history
  const raised = Math.max(raisedAt, ...recentRaises(settled, now).filter((at) => at <= now))
  const isDone = regular !== undefined && regular.isInGit !== true && regular.at <= regularAt
  if (!isDone && raised === raisedAt) return history
  return {
    ...history,
    ...(isDone && { regular: { ...regular, isInGit: true } }),
    ...(raised > raisedAt && { raisedAt: raised }),
  }
}
