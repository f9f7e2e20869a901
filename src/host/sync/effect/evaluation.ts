import type { PlannedAction, Trust } from '../../../core/index.ts'
import type { Finding } from '../../../krm/finding.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { ReadLimits } from '../../files/read-text.ts'
import type { NamedTargets, UsagePolicies } from '../collect/collector.ts'
import type { Commit } from '../git/repository.ts'
import { LossWatch } from '../nodes/losses.ts'
import type { Projection } from '../nodes/project.ts'
import { type NodeMemory, newNodeMemory } from '../nodes/projected-node.ts'
import type { UnwrittenIdle } from './idle.ts'
import type { OwnedFolder } from './owned-folder.ts'
import type { UsageChanges, UsageInGit, UsageMemory } from './usage-changes.ts'
import type { Acknowledgement } from './whose-folder.ts'

/**
 * Why a commit is made: the rendered output changes, the inventory changes, the render fails in a new way, or the
 * inventory in Git is too old.
 */
export type Effect = 'rendered' | 'inventory' | 'failed' | 'age'

/** The result of an evaluation. */
export type Evaluation =
  | {
      readonly kind: 'unchanged'
      /** `inputs`: the inputs are those of the last evaluation; `effect`: their changes have no effect. */
      readonly why: 'inputs' | 'effect'
      /** When the same nodes and files may next give another result. */
      readonly until?: Date
      /** The error of the render, which fails with the files of Git too. */
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
      /** The error of the render, where it fails. */
      readonly failure?: string
      /** What a guard held, and why it is accepted. */
      readonly settled?: string
      /** Sizes that usage has settled. */
      readonly usage: UsageChanges
      readonly findings: readonly Finding[]
    }
  | {
      /** Nothing may be committed until a person has resolved the problem. */
      readonly kind: 'stopped'
      readonly sentence: string
      /** What would be committed if somebody accepted it, where only a look was asked for. */
      readonly preview?: Preview
      readonly until?: Date
      readonly findings: readonly Finding[]
    }

/** A commit that is held. */
export interface Preview {
  readonly summary: string
  readonly commit: Commit
  /** What somebody should know before accepting it, in sentences. */
  readonly notes: readonly string[]
}

/** The guards of the controller. */
export interface GuardSettings {
  /** Milliseconds after which a confirmed loss of nodes is accepted; 0 for never. */
  readonly settle: number
  /** Groups that nodes may add in an hour. */
  readonly maxGroupsAdded: number
  /** The part of the nodes, in percent, that others may replace between two looks. */
  readonly maxNodesReplaced: number
}

/** Compares the objects of a namespace with what a policy rendered for it. */
export interface DriftCheck {
  readonly namespace: string
  readonly findings: (live: readonly KubernetesObject[]) => readonly Finding[]
}

/** What an evaluation leaves to the next one. It is a cache. */
export interface SyncMemory extends UsageMemory {
  readonly nodes: NodeMemory
  /** The nodes whose loss trips a guard. */
  readonly losses: LossWatch
  /** When each group was first to be added because of nodes, in milliseconds since 1970. */
  readonly groupsAdded: Map<string, number>
  /** Digests of the inventories that this process has read first or written; others are somebody's edits. */
  readonly inventories: Set<string>
  /** The DaemonSets that policies name, as of the last render that did not fail; undefined before it. */
  targets?: NamedTargets
  /** What policies say of usage, as of the last render that could read the files; undefined before it. */
  usagePolicies?: UsagePolicies
  /** The rows of usage beside those of the owned folder, as of the last render that could read the files. */
  importedUsage?: UsageInGit['rows']
  /** The signed actions of the last render that could read the files; undefined before it. */
  actions?: readonly PlannedAction[]
  /** What the newest commit accepts. */
  ack?: Acknowledgement
  /** The names of the nodes at the last look that was not held; undefined before the first. */
  present?: ReadonlySet<string>
  /** The digest of the packages with which the output was last up to date. */
  packages?: string
  /** What compares the cluster with what was rendered last. */
  drifts: readonly DriftCheck[]
  /** The last evaluation that did not stop, and the key of its inputs. */
  last?: { readonly key: string; readonly evaluation: Exclude<Evaluation, { kind: 'stopped' }> }
}

export function newMemory(): SyncMemory {
  return { nodes: newNodeMemory(), losses: new LossWatch(), groupsAdded: new Map(), inventories: new Set(), drifts: [] }
}

/**
 * The part of the configuration that evaluations use; durations in milliseconds, paths from the root of the repository.
 */
export interface EffectSettings {
  readonly cluster: string
  /** The folder that nodefit sync owns: it must contain nothing else. */
  readonly folder: string
  /** Folders and files with policies, templates and whatever else is rendered; the owned folder is always read. */
  readonly packages: readonly string[]
  /** The folder of the rendered output; undefined where only the inventory is committed. */
  readonly output?: string
  /** Label keys that are exported besides the default ones. */
  readonly labels: readonly string[]
  readonly exact: boolean
  readonly uid: boolean
  readonly counts: boolean
  /** The maximum age of the inventory in Git; undefined for no maximum. */
  readonly maxAge?: number
  readonly readyDebounce: number
  readonly retainShapes: number
  /** What is read of the repository, in bytes. Default: anything. */
  readonly limits?: ReadLimits
  readonly guards?: GuardSettings
  /** Whether an edit of the inventory is undone, though nothing else changes; with reviews others write it too. */
  readonly undoesEdits?: boolean
  /** The template of commit messages; undefined for the default one. */
  readonly template?: string
  /** The version of nodefit that renders. */
  readonly version: string
}

/** What a decision depends on. */
export interface DecisionInput {
  readonly root: string
  /** The owned folder in Git. */
  readonly owned: OwnedFolder
  /** The files that it should have. */
  readonly files: OwnedFolder['files']
  readonly projection: Projection
  /** Milliseconds since 1970, in whole seconds. */
  readonly time: number
  readonly settings: EffectSettings
  readonly memory: SyncMemory
  /** Whether the API server reported the deletion of a node. */
  readonly isDeleted: (name: string) => boolean
  /** The idle nodes that Git does not know of. */
  readonly idle: UnwrittenIdle
  /** Whether an action has another state than Git tells. */
  readonly hasOtherOutcomes: boolean
  /** Whether somebody accepts that most nodes are others: their names are written, whatever else changes. */
  readonly hasOtherNodes: boolean
  /** What usage has changed of the sizes in Git. */
  readonly usage: UsageChanges
  /** Gives the keys that verify signed actions. */
  readonly trust?: () => Trust | undefined
  /** The uid of the cluster that the files are written with; undefined where nobody knows it. */
  readonly clusterUid?: string
  /** The uid of the cluster in whose place this one comes, as somebody acknowledged. */
  readonly replaces?: string
  /** What a guard held, and why it is accepted. */
  readonly settled?: string
}
