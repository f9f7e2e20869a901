import { nearestRank } from './amounts.ts'
import type { ContainerHour } from './hour.ts'

/** What nine in ten containers use of memory at most, by how long they have run; absent where none is known. */
export interface Ages {
  readonly firstDay?: number
  readonly weekOld?: number
}

/** Memory that grows with the age of pods. */
export type Growth = Required<Ages>

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY
const SHARE = 0.9
/** Pods that are a week old use half as much again as those of their first day. */
const GROWTH_PERCENT = 150

/** Adds what an hour says of young and old containers; what it says nothing of stays as it was. */
export function withAges(ages: Ages | undefined, containers: readonly ContainerHour[]): Ages {
  // within its first hour a container fills its caches
  const firstDay = memoryOfAge(containers, (age) => age >= HOUR && age < DAY)
  const weekOld = memoryOfAge(containers, (age) => age >= WEEK)
  return { ...ages, ...(firstDay !== undefined && { firstDay }), ...(weekOld !== undefined && { weekOld }) }
}

/** Returns what both ages use where memory grows with age; undefined where it does not, or one of them is not known. */
export function growthIn({ firstDay, weekOld }: Ages): Growth | undefined {
  if (firstDay === undefined || weekOld === undefined || 100 * weekOld < GROWTH_PERCENT * firstDay) return undefined
  return { firstDay, weekOld }
}

function memoryOfAge(containers: readonly ContainerHour[], isOfAge: (age: number) => boolean): number | undefined {
  const memory = containers.flatMap((one) => (one.age !== undefined && isOfAge(one.age) ? [one.memory] : []))
  return nearestRank(memory, SHARE)
}
