import type { Finding } from '../../finding/index.ts'
import type { Commit } from '../git/repository.ts'
import { type NodeMemory, newNodeMemory } from '../nodes/known.ts'

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

/** What the configuration says of evaluations; durations in milliseconds, paths from the repository's root. */
export interface EffectSettings {
  readonly cluster: string
  /** The folder that nodefit sync owns: nothing else may stand in it. */
  readonly folder: string
  /** Folders and files that hold policies, templates and whatever else is rendered; the owned folder is read in any case. */
  readonly packages: readonly string[]
  /** Where the rendered output goes; undefined: only the inventory is kept. */
  readonly output?: string
  /** Label keys that are exported besides the usual ones. */
  readonly labels: readonly string[]
  readonly exact: boolean
  readonly uid: boolean
  readonly counts: boolean
  /** How old the inventory in Git may become; undefined: any age. */
  readonly maxAge?: number
  readonly readyDebounce: number
  readonly retainShapes: number
  /** The message of a commit, with placeholders; undefined: the usual one. */
  readonly template?: string
  /** The version of nodefit that renders. */
  readonly version: string
}
