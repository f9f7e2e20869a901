/** A group, as far as a rollout counts it. */
export interface Counted {
  readonly name: string
  readonly nodeCount: number
  /** When its pods last changed; undefined if that is unknown. */
  readonly changed?: Date
}

/** How many nodes may change within how many nanoseconds, and the time of the run. */
export interface Budget {
  readonly most: number
  readonly every: bigint
  readonly now: Date
}

const NANO_PER_MILLI = 1_000_000n

/** Whether a group changed within the last `every`, so that its nodes still count. */
export function isRecent({ changed }: Counted, { now, every }: Budget): boolean {
  return changed !== undefined && after(changed, every) > now.getTime()
}

/**
 * Divides pending groups, in name order, into those that may change now and those held back; `counted` are those that
 * count already. The first group that does not fit ends the admitted ones, so that small groups do not overtake a large
 * one forever. If nothing is counted, even a group above `most` is admitted; groups without nodes always are.
 */
export function admit<Group extends Counted>(
  pending: readonly Group[],
  counted: readonly Group[],
  { most }: Budget,
): { admitted: readonly Group[]; held: readonly Group[] } {
  const free = pending.filter(({ nodeCount }) => nodeCount === 0)
  const inOrder = pending.filter(({ nodeCount }) => nodeCount > 0).sort((a, b) => (a.name < b.name ? -1 : 1))
  const known = new Set(counted)
  let used = nodesOf(counted)
  for (const [index, group] of inOrder.entries()) {
    const more = known.has(group) ? 0 : group.nodeCount
    if (used > 0 && used + more > most)
      return { admitted: [...free, ...inOrder.slice(0, index)], held: inOrder.slice(index) }
    used += more
  }
  return { admitted: [...free, ...inOrder], held: [] }
}

/**
 * Returns when a held-back group fits if nothing else changes until then; `counted` have the time of their last change.
 */
export function fitsAt(held: Counted, counted: readonly Counted[], { most, every, now }: Budget): Date {
  const byEnd = counted
    .map((group) => ({ group, end: after(group.changed ?? now, every) }))
    .sort((a, b) => a.end - b.end)
  for (const [index, { end }] of byEnd.entries()) {
    const left = byEnd.slice(index + 1).map(({ group }) => group)
    const used = nodesOf(left)
    const more = left.some(({ name }) => name === held.name) ? 0 : held.nodeCount
    if (used === 0 || used + more <= most) return new Date(end)
  }
  return now
}

export function nodesOf(groups: ReadonlyArray<{ readonly nodeCount: number }>): number {
  return groups.reduce((all, { nodeCount }) => all + nodeCount, 0)
}

/** Milliseconds since the epoch. */
function after(time: Date, nanoseconds: bigint): number {
  return time.getTime() + Number(nanoseconds / NANO_PER_MILLI)
}
