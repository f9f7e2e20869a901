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

/** How many nodes are gone while others have come. */
interface Replacement {
  readonly before: number
  readonly replaced: number
}

/**
 * Returns how many of the nodes that were known before are gone and have others in their place: as many as are gone, or
 * as are new if that is fewer.
 */
export function replacementOf(before: ReadonlySet<string>, present: ReadonlySet<string>): Replacement {
  const gone = [...before].filter((name) => !present.has(name)).length
  const added = [...present].filter((name) => !before.has(name)).length
  return { before: before.size, replaced: Math.min(gone, added) }
}

/** Whether more than a part of the nodes, in percent, is replaced. */
export function exceeds({ before, replaced }: Replacement, percent: number): boolean {
  return replaced * 100 > percent * before
}

/** Nodes are written to Git anew before they are so many that a start would take them for those of another cluster. */
const REFRESH_PART = 0.8
/** Fewer nodes than this are no reason for a commit. */
const MIN_REPLACED = 5

/** Whether the names in Git have become so old that they hardly tell whose nodes they are. */
export function isOutdated(replacement: Replacement, percent: number): boolean {
  return replacement.replaced >= MIN_REPLACED && exceeds(replacement, percent * REFRESH_PART)
}
