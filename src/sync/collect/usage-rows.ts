import type { SnapshotParts } from '../../inventory/index.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { MEASURED, type Measured, type Sample } from './pod-metrics.ts'
import { SlidingWindow } from './sliding-window.ts'

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
