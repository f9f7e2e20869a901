import { type Day, dayOf } from './day.ts'
import type { Hour } from './hour.ts'
import type { Evidence } from './regular.ts'
import { dateOf, seenBefore, WINDOW } from './seen.ts'
import type { InForce, Kill } from './settled.ts'

/**
 * What is known of one container in one node group: the days that have ended, the hours of today, kills, and what was
 * known when the schedule last fired. It is a cache: losing it loses days, and changes no size.
 */
export interface History {
  readonly days: readonly Day[]
  readonly today: Today
  readonly kills: readonly Kill[]
  readonly regular?: Regular
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

/** Adds a kill; those older than fourteen days go, and one that was seen before counts once. */
export function withKill(history: History, kill: Kill, now: number): History {
  const recent = history.kills.filter(({ at }) => at > now - WINDOW * DAY)
  const isSeen = recent.some(({ pod, at }) => pod === kill.pod && at === kill.at)
  return { ...history, kills: isSeen ? recent : [...recent, kill] }
}

/** Remembers what is known when the schedule fires; the same object if that was done before. */
export function atFire(history: History, fire: number, inForce: InForce): History {
  if (history.regular !== undefined && history.regular.at >= fire) return history
  const seen = seenBefore(history.days, fire)
  const kills = history.kills.filter(({ at }) => at <= fire)
  return { ...history, regular: { at: fire, evidence: { ...(seen && { seen }), kills, inForce } } }
}
