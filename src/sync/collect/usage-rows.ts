import type { SnapshotParts } from '../../inventory/index.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { MEASURED, type Measured, type Sample } from './pod-metrics.ts'

type Row = NonNullable<SnapshotParts['usage']>[number]

const HOUR = 3_600_000
/** A day, since load follows the time of day. */
const WINDOW = 24 * HOUR
const BUCKET = HOUR
/** A row is written only when its samples cover this time. */
const WARM_UP = HOUR

/** The samples of one container of one node group of one policy. */
interface Series {
  readonly policy: string
  readonly container: string
  readonly group: string
  readonly windows: Partial<Record<Measured, SlidingWindow>>
}

/**
 * Usage of the last day for each policy, container and group. It is kept in memory only: rows are complete an hour
 * after a restart.
 */
export class UsageRows {
  readonly #series = new Map<string, Series>()
  /** The time of each pod's last measurement, by DaemonSet: a measurement that is read twice counts once. */
  readonly #measuredAt = new Map<string, Map<string, string>>()

  /** Adds the samples of the pods of a DaemonSet. */
  add({ namespace, name, policy, group }: OwnDaemonSet, samples: readonly Sample[], now: number): void {
    const id = `${namespace}/${name}`
    const before = this.#measuredAt.get(id)
    this.#measuredAt.set(id, new Map(samples.map(({ pod, at }) => [pod, at])))
    for (const { pod, at, container, steps } of samples) {
      if (at !== '' && before?.get(pod) === at) continue
      const { windows } = this.#seriesOf(policy, container, group)
      for (const [resource, step] of Object.entries(steps) as Array<[Measured, number]>) {
        windows[resource] ??= new SlidingWindow(WINDOW, BUCKET)
        windows[resource].add(step, now)
      }
    }
  }

  /** Drops what is of none of these DaemonSets, or older than a day. */
  prune(daemonSets: readonly OwnDaemonSet[], now: number): void {
    const names = new Set(daemonSets.map(({ namespace, name }) => `${namespace}/${name}`))
    for (const id of this.#measuredAt.keys()) if (!names.has(id)) this.#measuredAt.delete(id)
    for (const [id, { windows }] of this.#series)
      if (Object.values(windows).every((window) => window.since(now) === undefined)) this.#series.delete(id)
  }

  /** The rows of these DaemonSets; undefined where there are DaemonSets and no row covers enough time yet. */
  rows(daemonSets: readonly OwnDaemonSet[], now: number): Row[] | undefined {
    const groups = new Set(daemonSets.map(({ policy, group }) => JSON.stringify([policy, group])))
    const rows = [...this.#series]
      .filter(([, { policy, group }]) => groups.has(JSON.stringify([policy, group])))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, series]) => rowOf(series, now) ?? [])
    return rows.length > 0 || groups.size === 0 ? rows : undefined
  }

  #seriesOf(policy: string, container: string, group: string): Series {
    const id = JSON.stringify([policy, container, group])
    const series = this.#series.get(id) ?? { policy, container, group, windows: {} }
    this.#series.set(id, series)
    return series
  }
}

function rowOf({ policy, container, group, windows }: Series, now: number): Row | undefined {
  const seen: NonNullable<Row['seen']> = {}
  for (const resource of Object.keys(MEASURED) as Measured[]) {
    const window = windows[resource]
    const since = window?.since(now)
    if (window === undefined || since === undefined || now - since < WARM_UP) continue
    const [used, most] = (window.percentiles([90, 100], now) ?? []).map((step) => MEASURED[resource].quantityText(step))
    seen[resource] = used
    if (resource === 'memory') seen.peak = most
  }
  return Object.keys(seen).length === 0 ? undefined : { policy, container, group, seen }
}

interface Bucket {
  readonly start: number
  /** The number of samples of each step. */
  readonly counts: Map<number, number>
}

/**
 * Counts the samples of the recent past in buckets; a bucket is dropped as a whole when its end leaves the window.
 * Memory depends on the number of steps and buckets, not on the number of samples.
 */
export class SlidingWindow {
  readonly #length: number
  readonly #bucketLength: number
  #buckets: Bucket[] = []
  #since: number | undefined

  /** Both in milliseconds. */
  constructor(length: number, bucketLength: number) {
    this.#length = length
    this.#bucketLength = bucketLength
  }

  add(step: number, now: number): void {
    this.#drop(now)
    let bucket = this.#buckets.at(-1)
    if (bucket === undefined || now >= bucket.start + this.#bucketLength) {
      bucket = { start: now, counts: new Map() }
      this.#buckets.push(bucket)
    }
    this.#since ??= now
    bucket.counts.set(step, (bucket.counts.get(step) ?? 0) + 1)
  }

  /** When the samples begin that have no gap as long as the window; undefined without samples. */
  since(now: number): number | undefined {
    this.#drop(now)
    return this.#since
  }

  /**
   * The percentiles by the nearest-rank method, as steps; undefined without samples. Percentages are integers from 1 to
   * 100.
   */
  percentiles(percentages: readonly number[], now: number): number[] | undefined {
    this.#drop(now)
    const counts = new Map<number, number>()
    let total = 0
    for (const bucket of this.#buckets)
      for (const [step, count] of bucket.counts) {
        counts.set(step, (counts.get(step) ?? 0) + count)
        total += count
      }
    if (total === 0) return undefined
    const steps = [...counts].sort(([a], [b]) => a - b)
    return percentages.map((percentage) => stepOfRank(steps, Math.ceil((percentage * total) / 100)))
  }

  #drop(now: number): void {
    this.#buckets = this.#buckets.filter(({ start }) => start + this.#bucketLength > now - this.#length)
    if (this.#buckets.length === 0) this.#since = undefined
  }
}

/** The step of the sample with this rank; the lowest sample has rank 1. */
function stepOfRank(steps: ReadonlyArray<readonly [step: number, count: number]>, rank: number): number {
  let left = rank
  for (const [step, count] of steps) {
    left -= count
    if (left <= 0) return step
  }
  return steps.at(-1)?.[0] ?? 0
}
