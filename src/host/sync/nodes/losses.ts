/** What is known of the nodes that Git has and the cluster has not; times in milliseconds since 1970. */
interface Loss {
  /** When the node was first missing. */
  readonly since: number
  /** When the first full list did not have it. */
  listedSince?: number
  /** When the last full list did not have it either. */
  listedUntil?: number
}

/** Part of the missing nodes, in percent, that need not be confirmed: nodes come and go meanwhile. */
const UNCONFIRMED_PERCENT = 10

/**
 * Decides whether a loss of nodes that trips a guard is real: each node has been missing for a while, and either the
 * API server reported its deletion, or two full lists on connections of their own, that far apart, did not have it.
 */
export class LossWatch {
  readonly #losses = new Map<string, Loss>()
  #listedAt: number | undefined

  /** Whether a guard holds because of missing nodes. */
  get isHolding(): boolean {
    return this.#losses.size > 0
  }

  /** Takes the names that are missing now; those that are back start anew. */
  observe(names: readonly string[], now: number): void {
    const missing = new Set(names)
    for (const name of this.#losses.keys()) if (!missing.has(name)) this.#losses.delete(name)
    for (const name of missing) if (!this.#losses.has(name)) this.#losses.set(name, { since: now })
    if (missing.size === 0) this.#listedAt = undefined
  }

  /** Whether a full list is due, `settle` milliseconds after the one before. */
  needsList(now: number, settle: number): boolean {
    return this.isHolding && (this.#listedAt === undefined || now >= this.#listedAt + settle)
  }

  /** Takes the names of a full list. */
  addList(names: ReadonlySet<string>, now: number): void {
    this.#listedAt = now
    for (const [name, { since, listedSince }] of this.#losses)
      this.#losses.set(
        name,
        names.has(name) ? { since: now } : { since, listedSince: listedSince ?? now, listedUntil: now },
      )
  }

  /** Whether nearly all losses are confirmed over `settle` milliseconds. */
  isSettled({ now, settle, isDeleted }: LossState): boolean {
    if (!this.isHolding) return false
    const open = [...this.#losses].filter(([name, loss]) => {
      if (isDeleted(name) && now - loss.since >= settle) return false
      const { listedSince, listedUntil } = loss
      return listedSince === undefined || listedUntil === undefined || listedUntil - listedSince < settle
    })
    return open.length * 100 <= UNCONFIRMED_PERCENT * this.#losses.size
  }

  /** When more may be confirmed: the next list is due, or nodes have been missing for long enough. */
  nextCheck({ now, settle }: Pick<LossState, 'now' | 'settle'>): number | undefined {
    const times = [...this.#losses.values()].map(({ since }) => since)
    if (this.#listedAt !== undefined) times.push(this.#listedAt)
    const later = times.map((time) => time + settle).filter((time) => time > now)
    return later.length === 0 ? undefined : Math.min(...later)
  }
}

interface LossState {
  readonly now: number
  readonly settle: number
  /** Whether the API server reported the deletion of a node that is missing. */
  readonly isDeleted: (name: string) => boolean
}
