import type { Finding } from '../../finding/index.ts'
import type { Commit } from '../commit.ts'
import { type NodeMemory, newNodeMemory } from '../nodes/index.ts'

/** Why there is a commit: what is rendered is another, only the inventory counts, the render failed, or Git's inventory is old. */
export type Effect = 'rendered' | 'inventory' | 'failed' | 'age'

/** What an evaluation came to. */
export type Evaluation =
  | {
      readonly kind: 'unchanged'
      /** Nothing that is looked at is another than at the last evaluation, or nothing comes of it. */
      readonly why: 'inputs' | 'effect'
      /** The next instant at which the same nodes and files may come to something else. */
      readonly until?: Date
      /** Why nothing can be rendered, as it could not be with what Git has. */
      readonly failure?: string
      readonly findings: readonly Finding[]
    }
  | {
      readonly kind: 'commit'
      readonly commit: Commit
      readonly effect: Effect
      readonly until?: Date
      /** One line for the log. */
      readonly summary: string
      /** Why the render failed, where it did. */
      readonly failure?: string
      readonly findings: readonly Finding[]
    }
  | {
      /** Nothing may be committed before somebody looked at it. */
      readonly kind: 'stopped'
      readonly sentence: string
      readonly until?: Date
      readonly findings: readonly Finding[]
    }

/** What one evaluation leaves to the next; a cache. */
export interface SyncMemory {
  readonly nodes: NodeMemory
  /** The last evaluation that did not stop, and by what it is known. */
  last?: { readonly key: string; readonly evaluation: Exclude<Evaluation, { kind: 'stopped' }> }
}

export function newMemory(): SyncMemory {
  return { nodes: newNodeMemory() }
}
