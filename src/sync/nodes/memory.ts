import type { NodeState } from './node-state.ts'

/** What an evaluation remembers for the next one. All of it is a cache: a new one leads to the same commits, if later. */
export interface NodeMemory {
  /** Since when a kind of node that Git still has nodes of has none, in milliseconds since 1970. */
  readonly emptySince: Map<string, number>
  /** As what each node counted last, where Git does not name nodes. */
  readonly states: Map<string, NodeState>
}

export function newNodeMemory(): NodeMemory {
  return { emptySince: new Map(), states: new Map() }
}
