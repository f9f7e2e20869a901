import type { NodeState } from './node-state.ts'

/** What an evaluation remembers for the next one. All of it is a cache: a new one leads to the same commits, if later; a kind that came and went within a day may go up to that day sooner (`retain`). */
export interface NodeMemory {
  /** Since when a kind of node has none, where Git does not say so or says an earlier time, in milliseconds since 1970. */
  readonly emptySince: Map<string, number>
  /** Kinds that Git has as empty, or had, and of which there have been nodes since. */
  readonly returned: Set<string>
  /** As what each node counted last, where Git does not name nodes. */
  readonly states: Map<string, NodeState>
}

export function newNodeMemory(): NodeMemory {
  return { emptySince: new Map(), returned: new Set(), states: new Map() }
}
