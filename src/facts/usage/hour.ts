import { type Amounts, largest, nearestRank } from './amounts.ts'

/** What one container of one pod used within an hour. */
export interface ContainerHour {
  /** How many measurements there are; one that is read twice counts once. */
  readonly samples: number
  /** The mean, without its first five minutes; absent where there are no others. */
  readonly cpu?: number
  /** The largest. */
  readonly memory: number
  /** The limit that was in force. */
  readonly limitCPU?: number
  /** How long the container had run at its last measurement, in milliseconds; absent where that is not known. */
  readonly age?: number
}

/** What the containers of a node group used within an hour. */
export interface Hour {
  /** What nine in ten used, at most. CPU is absent where all containers had just started. */
  readonly used: Amounts
  /** The median of memory. */
  readonly medianMemory: number
  /** The largest memory of any. */
  readonly peakMemory: number
  /** The share of containers whose mean CPU was 90 % of its limit or more. */
  readonly shareAtLimit: number
  /** The containers that counted. */
  readonly pods: number
}

const LEAST_SAMPLES = 10
const LEAST_SHARE_OF_PODS = 0.5
const SHARE = 0.9
const AT_LIMIT = 0.9

/**
 * Returns the hour of a node group, by nearest rank over its containers; undefined where fewer than half of the pods
 * that its DaemonSet wants have ten measurements. The largest memory counts from any measurement: it kills.
 */
export function hourOf(containers: readonly ContainerHour[], desiredPods: number): Hour | undefined {
  const seen = containers.filter(({ samples }) => samples >= LEAST_SAMPLES)
  if (seen.length === 0 || seen.length < desiredPods * LEAST_SHARE_OF_PODS) return undefined
  const memory = seen.map((one) => one.memory)
  const withCpu = seen.filter(({ cpu }) => cpu !== undefined)
  const cpu = nearestRank(
    withCpu.map((one) => one.cpu ?? 0),
    SHARE,
  )
  const atLimit = withCpu.filter((one) => one.limitCPU !== undefined && (one.cpu ?? 0) >= AT_LIMIT * one.limitCPU)
  return {
    used: { ...(cpu !== undefined && { cpu }), memory: nearestRank(memory, SHARE) ?? 0 },
    medianMemory: nearestRank(memory, 0.5) ?? 0,
    peakMemory: Math.max(...containers.map((one) => one.memory)),
    shareAtLimit: withCpu.length === 0 ? 0 : atLimit.length / withCpu.length,
    pods: seen.length,
  }
}

/** What a node group used on a day. */
export interface Day {
  /** The day in UTC, as `2026-11-12`. */
  readonly date: string
  /** The third-busiest hour of each resource: two hours of an accident or a deployment say nothing. */
  readonly used: Amounts
  readonly medianMemory: number
  readonly peakMemory: number
  readonly shareAtLimit: number
  readonly pods: number
}

const LEAST_HOURS = 12
const RANK = 3

/** Returns a day of a node group; undefined where fewer than twelve of its hours count. */
export function dayOf(date: string, hours: readonly Hour[]): Day | undefined {
  if (hours.length < LEAST_HOURS) return undefined
  const third = (value: (hour: Hour) => number | undefined) =>
    largest(
      hours.flatMap((hour) => value(hour) ?? []),
      RANK,
    )
  const cpu = third(({ used }) => used.cpu)
  return {
    date,
    used: { ...(cpu !== undefined && { cpu }), memory: third(({ used }) => used.memory) ?? 0 },
    medianMemory: third(({ medianMemory }) => medianMemory) ?? 0,
    peakMemory: Math.max(...hours.map(({ peakMemory }) => peakMemory)),
    shareAtLimit: third(({ shareAtLimit }) => shareAtLimit) ?? 0,
    pods: Math.max(...hours.map(({ pods }) => pods)),
  }
}
