import type { UsageRow } from '../../../facts/inventory/index.ts'
import {
  countKills,
  type Decision,
  type History,
  type KillCount,
  type SeriesKey,
  seenSoFar,
  settle,
  writeRow,
} from '../../../facts/usage/index.ts'
import type { Schedule } from '../../../kube/index.ts'
import type { UsagePolicies } from './collector.ts'
import type { Present } from './usage-facts.ts'
import { type RowInGit, renamedRows, settledInGit, usageRows } from './usage-rows.ts'

export interface UsageSettlingOptions {
  readonly schedule: Schedule
  /** Milliseconds that a row stays after its group is gone. */
  readonly retain: number
  readonly historyOf: (id: string) => History
}

/** A limit of memory that kills ask to raise again, after it was raised as often as it may be. */
export interface HeldLimit {
  readonly key: SeriesKey
  readonly kills: KillCount
  /** When it may be raised again, in milliseconds since 1970. */
  readonly until: number
}

/** Settles sizes from the rows of Git and the histories of this process. */
export class UsageSettling {
  readonly #options: UsageSettlingOptions
  #inGit: ReadonlyMap<string, RowInGit> = new Map()
  /** The decisions that were told. */
  #told: ReadonlySet<string> = new Set()

  constructor(options: UsageSettlingOptions) {
    this.#options = options
  }

  /** Takes the rows of Git; those of a policy that has another name now are its rows. Returns what they settle. */
  remember(inGit: ReadonlyMap<string, RowInGit>, policies: UsagePolicies | undefined): ReturnType<typeof settledInGit> {
    this.#inGit = renamedRows(inGit, newNames(policies))
    return settledInGit(this.#inGit)
  }

  /** When the schedule fired last, in milliseconds since 1970. */
  fire(now: number): number | undefined {
    return this.#options.schedule.previous(new Date(now))?.getTime()
  }

  rows(present: Present, now: number): UsageRow[] {
    const { historyOf, retain } = this.#options
    const decisions = this.#decisions(present, now)
    return usageRows({ inGit: this.#inGit, present, decisions, historyOf, now, fire: this.fire(now), retain })
  }

  rowsOfGit(): UsageRow[] {
    return [...this.#inGit].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, { row }]) => row)
  }

  /** What was seen of each series, of days or of the hours of today. */
  seen({ series }: Present, now: number): readonly UsageRow[] {
    return [...series].flatMap(([id, { key, node }]) => {
      const seen = seenSoFar(this.#options.historyOf(id), now)
      return seen === undefined ? [] : [writeRow({ ...key, days: seen.days, pods: seen.pods, seen }, node)]
    })
  }

  /** The limits that are not raised though kills ask for it. */
  held(present: Present, now: number): readonly HeldLimit[] {
    return [...this.#decisions(present, now)].flatMap(([id, { heldUntil: until }]) => {
      const key = present.series.get(id)?.key
      const kills = countKills(this.#options.historyOf(id).kills)
      return until === undefined || key === undefined || kills === undefined ? [] : [{ key, kills, until }]
    })
  }

  /** Whether sizes are settled otherwise than in Git, or held against kills, and that was not told before. */
  hasNewDecision(present: Present, now: number): boolean {
    const decisions = [...this.#decisions(present, now)].flatMap(([id, { by, settled, heldUntil }]) =>
      by === undefined && heldUntil === undefined ? [] : [JSON.stringify([id, settled, heldUntil])],
    )
    const isNew = decisions.some((decision) => !this.#told.has(decision))
    this.#told = new Set(decisions)
    return isNew
  }

  #decisions({ series }: Present, now: number): ReadonlyMap<string, Decision> {
    const { schedule, historyOf } = this.#options
    const states = new Map(
      [...series].map(([id, { inForce, pods }]) => [id, { history: historyOf(id), inForce, pods }] as const),
    )
    return settle(settledInGit(this.#inGit), states, { now, schedule })
  }
}

/** The present name of each former one. */
export function newNames(policies: UsagePolicies | undefined): Map<string, string> {
  const all = [...(policies ?? [])].flatMap(([name, { formerNames }]) =>
    formerNames.map((former) => [former, name] as const),
  )
  return new Map(all.filter(([former]) => policies?.has(former) !== true))
}
