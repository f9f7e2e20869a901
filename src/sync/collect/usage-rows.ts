import type { SnapshotParts } from '../../inventory/index.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { MEASURED, type Measured, type Sample } from './pod-metrics.ts'

type Row = NonNullable<SnapshotParts['usage']>[number]
type Amounts = Partial<Record<Measured, string>>

const HOUR = 3_600_000
/** A day: load has its rhythm. */
const WINDOW = 24 * HOUR
const SLICE = HOUR
/** A row is not told before it has been seen for so long. */
const WARM_UP = HOUR

/** One container of one node group of one policy. */
interface Series {
  readonly policy: string
  readonly container: string
  readonly group: string
  readonly windows: Partial<Record<Measured, SlidingWindow>>
}

/** Usage per policy, container and group over the last day. It is in memory alone: after a restart it takes an hour to be told again. */
export class UsageRows {
  readonly #series = new Map<string, Series>()
  /** When each pod of a DaemonSet was measured last, so that a measurement that is read twice counts once. */
  readonly #measured = new Map<string, Map<string, string>>()

  /** Counts what the pods of a DaemonSet used. */
  add({ namespace, name, policy, group }: OwnDaemonSet, samples: readonly Sample[], now: number): void {
    const id = `${namespace}/${name}`
    const before = this.#measured.get(id)
    this.#measured.set(id, new Map(samples.map(({ pod, at }) => [pod, at])))
    for (const { pod, at, container, steps } of samples) {
      if (at !== '' && before?.get(pod) === at) continue
      const { windows } = this.#seriesOf(policy, container, group)
      for (const [resource, step] of Object.entries(steps) as Array<[Measured, number]>) {
        windows[resource] ??= new SlidingWindow(WINDOW, SLICE)
        windows[resource].add(step, now)
      }
    }
  }

  /** Forgets what is of no DaemonSet any more, or older than a day. */
  keep(daemonSets: readonly OwnDaemonSet[], now: number): void {
    const names = new Set(daemonSets.map(({ namespace, name }) => `${namespace}/${name}`))
    for (const id of this.#measured.keys()) if (!names.has(id)) this.#measured.delete(id)
    for (const [id, { windows }] of this.#series)
      if (Object.values(windows).every((window) => window.since(now) === undefined)) this.#series.delete(id)
  }

  /** The rows of these DaemonSets; undefined where there are such and none was seen for long enough. */
  written(daemonSets: readonly OwnDaemonSet[], now: number): Row[] | undefined {
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
  const [p50, p95, max]: [Amounts, Amounts, Amounts] = [{}, {}, {}]
  for (const resource of Object.keys(MEASURED) as Measured[]) {
    const window = windows[resource]
    const since = window?.since(now)
    if (window === undefined || since === undefined || now - since < WARM_UP) continue
    const [half, most, all] = (window.percentiles([50, 95, 100], now) ?? []).map((step) =>
      MEASURED[resource].textOf(step),
    )
    p50[resource] = half
    p95[resource] = most
    max[resource] = all
  }
  return Object.keys(max).length === 0 ? undefined : { policy, container, group, p50, p95, max }
}

interface Slice {
  readonly start: number
  /** How often each step was seen. */
  readonly counts: Map<number, number>
}

/**
 * Counts samples of the time just past: steps of a scale, in slices of which the oldest goes as a whole when its end leaves the window. What
 * it costs depends on how many steps and slices there are, and not on how many samples.
 */
export class SlidingWindow {
  readonly #length: number
  readonly #slice: number
  #slices: Slice[] = []
  #since: number | undefined

  /** Both in milliseconds. */
  constructor(length: number, slice: number) {
    this.#length = length
    this.#slice = slice
  }

  add(step: number, now: number): void {
    this.#forget(now)
    let slice = this.#slices.at(-1)
    if (slice === undefined || now >= slice.start + this.#slice) {
      slice = { start: now, counts: new Map() }
      this.#slices.push(slice)
    }
    this.#since ??= now
    slice.counts.set(step, (slice.counts.get(step) ?? 0) + 1)
  }

  /** Since when there are samples, without a gap as long as the window; undefined where there are none. */
  since(now: number): number | undefined {
    this.#forget(now)
    return this.#since
  }

  /**
   * The smallest step that so many of 100 samples stay within (the nearest rank), for each of the percentages; undefined without any
   * sample. The percentages are whole numbers from 1 to 100.
   */
  percentiles(percentages: readonly number[], now: number): number[] | undefined {
    this.#forget(now)
    const counts = new Map<number, number>()
    let total = 0
    for (const slice of this.#slices)
      for (const [step, count] of slice.counts) {
        counts.set(step, (counts.get(step) ?? 0) + count)
        total += count
      }
    if (total === 0) return undefined
    const steps = [...counts].sort(([a], [b]) => a - b)
    return percentages.map((percentage) => stepAt(steps, Math.ceil((percentage * total) / 100)))
  }

  #forget(now: number): void {
    this.#slices = this.#slices.filter(({ start }) => start + this.#slice > now - this.#length)
    if (this.#slices.length === 0) this.#since = undefined
  }
}

/** The step of the sample of this rank, the lowest being the first. */
function stepAt(steps: ReadonlyArray<readonly [step: number, count: number]>, rank: number): number {
  let left = rank
  for (const [step, count] of steps) {
    left -= count
    if (left <= 0) return step
  }
  return steps.at(-1)?.[0] ?? 0
}
