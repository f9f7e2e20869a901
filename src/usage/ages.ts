import { nearestRank } from './amounts.ts'
import type { ContainerHour } from './hour.ts'

/** What nine in ten containers use of memory at most, by how long they have run; absent where none is known. */
export interface Ages {
  readonly firstDay?: number
  readonly weekOld?: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY
const SHARE = 0.9

/** Adds what an hour says of young and old containers; what it says nothing of stays as it was. */
export function withAges(ages: Ages | undefined, containers: readonly ContainerHour[]): Ages {
  // within its first hour a container fills its caches
  const firstDay = memoryOfAge(containers, (age) => age >= HOUR && age < DAY)
  const weekOld = memoryOfAge(containers, (age) => age >= WEEK)
  return { ...ages, ...(firstDay !== undefined && { firstDay }), ...(weekOld !== undefined && { weekOld }) }
}

function memoryOfAge(containers: readonly ContainerHour[], isOfAge: (age: number) => boolean): number | undefined {
  const memory = containers.flatMap((one) => (one.age !== undefined && isOfAge(one.age) ? [one.memory] : []))
  return nearestRank(memory, SHARE)
}
