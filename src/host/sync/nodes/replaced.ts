/** How many nodes are gone while others have come. */
export interface Replacement {
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
