import {
  atFire,
  type ContainerHour,
  Containers,
  type Histories,
  type History,
  hourOf,
  type InForce,
  type Kill,
  type Measurement,
  mergeHistories,
  NO_HISTORY,
  newestRegular,
  notAfter,
  type SeriesKey,
  type Settled,
  withAges,
  withGit,
  withHour,
  withKill,
} from '../../../facts/usage/index.ts'

/** What the cluster says of a series besides its measurements. */
export interface SeriesFacts {
  readonly key: SeriesKey
  readonly inForce: InForce
  /** The pods that its DaemonSets want. */
  readonly pods: number
}

interface Series {
  readonly key: SeriesKey
  readonly containers: Containers
  history: History
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NANO_PER_MILLI = 1_000_000
const NOT_IN_FORCE: InForce = { limits: {}, hasHeapByLimit: false }

/** The name of a series: no two have one. */
export function seriesId({ policy, container, group }: SeriesKey): string {
  return JSON.stringify([policy, container, group])
}

/** The series of a cluster: what is measured within an hour, and the history of each. */
export class UsageSeries {
  readonly #series = new Map<string, Series>()
  /** The number of the hour that is measured, since 1970. */
  #hour: number | undefined
  /** The end of the newest hour that was added, in milliseconds since 1970. */
  #until = Number.NEGATIVE_INFINITY

  /** Adds what an earlier process has kept, which ends at `until`. */
  load(histories: Histories, until: number): void {
    for (const [key, history] of histories) {
      const series = this.#seriesOf(key)
      series.history = mergeHistories(history, series.history)
    }
    this.#until = Math.max(this.#until, until)
  }

  /** Adds a measurement, its CPU in billionths of a core and its limit in thousandths. */
  add(key: SeriesKey, { limitCPU, ...measurement }: Measurement): void {
    const limit = limitCPU === undefined ? {} : { limitCPU: limitCPU * NANO_PER_MILLI }
    this.#seriesOf(key).containers.add({ ...measurement, ...limit })
  }

  /** Adds a kill; returns whether it was not known. */
  addKill(key: SeriesKey, kill: Kill, now: number): boolean {
    const series = this.#seriesOf(key)
    const before = series.history.kills
    series.history = withKill(series.history, kill, now)
    return series.history.kills.some((one) => !before.includes(one))
  }

  /** Ends the hour that is over, if one is; returns whether its measurements were added. */
  endHour(now: number, facts: ReadonlyMap<string, SeriesFacts>): boolean {
    const hour = Math.floor(now / HOUR)
    const measured = this.#hour ?? hour
    this.#hour = hour
    if (hour === measured) return false
    const hours = new Map([...this.#series].map(([id, { containers }]) => [id, containers.endHour()] as const))
    const endedAt = (measured + 1) * HOUR
    const isMeasured = [...hours.values()].some((containers) => containers.length > 0)
    // no metrics, or a clock that is far from theirs: no hour and no day ends by that; a clock that was set back: what
    // was measured before it is of no hour
    if (!isMeasured || hour < measured) return false
    // an hour counts once; metrics agree with this clock, so an end days later was written by one that was ahead
    const isAhead = this.#until > now + DAY
    if (endedAt <= this.#until && !isAhead) return false
    if (isAhead) for (const series of this.#series.values()) series.history = notAfter(series.history, now)
    this.#until = endedAt
    for (const [id, series] of this.#series) this.#addHour(series, hours.get(id) ?? [], facts.get(id), endedAt)
    return true
  }

  /** Remembers what is known when the schedule fires; returns whether something was not remembered before. */
  freeze(fire: number, facts: ReadonlyMap<string, SeriesFacts>): boolean {
    let isNew = false
    for (const [id, series] of this.#series) {
      if ((series.history.regular?.at ?? Number.NEGATIVE_INFINITY) >= fire) continue
      const inForce = facts.get(id)?.inForce ?? NOT_IN_FORCE
      // a day ends before the schedule fires on the next one
      series.history = atFire(withHour(series.history, undefined, fire), fire, inForce)
      isNew = true
    }
    return isNew
  }

  /** Remembers what is settled in Git, by `seriesId`; returns whether something of it was not remembered before. */
  remember(settled: ReadonlyMap<string, Settled>, now: number): boolean {
    const regularAt = newestRegular(settled.values(), now)
    let isNew = false
    for (const [id, series] of this.#series) {
      const history = withGit(series.history, settled.get(id), regularAt, now)
      if (history !== series.history) isNew = true
      series.history = history
    }
    return isNew
  }

  /** Makes the series of a policy those of its new name, where that has none. */
  rename(from: string, to: string): void {
    for (const [id, { key, history, containers }] of [...this.#series])
      if (key.policy === from) {
        const renamed = this.#seriesOf({ ...key, policy: to })
        renamed.history = mergeHistories(history, renamed.history)
        containers.endHour()
        this.#series.delete(id)
      }
  }

  historyOf(id: string): History {
    return this.#series.get(id)?.history ?? NO_HISTORY
  }

  keys(): readonly SeriesKey[] {
    return [...this.#series.values()].map(({ key }) => key)
  }

  /** The histories that say something, in the order of their names, and the end of the newest hour in them. */
  kept(): { readonly histories: Histories; readonly until: number } {
    const all = [...this.#series].filter(([, { history }]) => !isEmpty(history))
    const sorted = all.sort(([left], [right]) => (left < right ? -1 : 1))
    return { histories: sorted.map(([, { key, history }]) => [key, history] as const), until: this.#until }
  }

  #addHour(series: Series, containers: readonly ContainerHour[], facts: SeriesFacts | undefined, endedAt: number) {
    const hour = hourOf(containers.map(inThousandths), facts?.pods ?? 0)
    const history = withHour(series.history, hour, endedAt)
    series.history = containers.length === 0 ? history : { ...history, ages: withAges(history.ages, containers) }
    if (facts === undefined && isEmpty(series.history)) this.#series.delete(seriesId(series.key))
  }

  #seriesOf(key: SeriesKey): Series {
    const id = seriesId(key)
    const present = this.#series.get(id)
    if (present !== undefined) return present
    const series = { key, containers: new Containers(), history: NO_HISTORY }
    this.#series.set(id, series)
    return series
  }
}

/** The sum of billionths is exact, in whatever order they came; an hour is kept in whole thousandths. */
function inThousandths({ cpu, limitCPU, ...hour }: ContainerHour): ContainerHour {
  return {
    ...hour,
    ...(cpu !== undefined && { cpu: Math.round(cpu / NANO_PER_MILLI) }),
    ...(limitCPU !== undefined && { limitCPU: limitCPU / NANO_PER_MILLI }),
  }
}

function isEmpty({ days, today, kills }: History): boolean {
  return days.length === 0 && today.hours.length === 0 && kills.length === 0
}
