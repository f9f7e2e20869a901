import type { ReadLimits } from '../../files/read-text.ts'
import type { PartName } from '../collect/collector.ts'
import type { Person } from '../git/repository.ts'

/** What `collect` may name. */
export type CollectName = 'nodes' | 'kubescape' | PartName

/** A SyncConfig with its defaults; durations are in milliseconds. docs/sync.md describes the fields. */
export interface SyncConfig {
  readonly cluster: string
  /** Always with `nodes`. */
  readonly collect: readonly CollectName[]
  /** When sizes are settled from usage: a schedule that can be parsed, and its time zone. */
  readonly usage: { readonly schedule: string; readonly timeZone: string }
  /** Patterns of label keys; `*` matches any characters. */
  readonly labels: readonly string[]
  readonly inventory: { readonly exact: boolean; readonly uid: boolean; readonly counts: boolean }
  /** Folders and files of the repository. */
  readonly packages: readonly string[]
  readonly mode: 'inventory' | 'rendered'
  /** Present with `mode: rendered`. */
  readonly output?: string
  /** Present where each change goes to a branch for review. */
  readonly review?: { readonly prefix: string; readonly pushOptions: readonly string[] }
  readonly dryRun: boolean
  readonly suspend: boolean
  readonly git: GitConfig
  readonly quietWindow: number
  readonly maxWindow: number
  readonly minPushInterval: number
  readonly reconcileInterval: number
  readonly maxAge?: number
  readonly readyDebounce: number
  readonly retainShapes: number
  readonly pageSize: number
  readonly relistInterval: number
  /** `maxNodesReplaced` in percent. */
  readonly guards: { readonly settle: number; readonly maxGroupsAdded: number; readonly maxNodesReplaced: number }
  /** In bytes. */
  readonly limits: ReadLimits
  readonly leaderElection: LeaderElectionConfig
  readonly health: HealthConfig
  readonly actions: ActionsConfig
  /** Absent where no webhook is accepted. */
  readonly hook?: HookConfig
}

/** The repository, and how commits are made. */
export interface GitConfig {
  readonly url: string
  readonly branch: string
  readonly folder: string
  readonly credentials: string
  readonly cache: string
  readonly author: Person
  readonly committer: Person
  readonly messageTemplate?: string
  readonly signOff: boolean
  readonly signing?: { readonly format: 'ssh'; readonly key: string }
  readonly pushVia: 'git' | 'github'
  readonly pushOptions: readonly string[]
  readonly timeout: number
}

/** Which of several replicas pushes. */
export interface LeaderElectionConfig {
  readonly enabled: boolean
  /** Absent where neither the file nor POD_NAMESPACE has one. */
  readonly namespace?: string
  readonly name: string
  /** The identity of the holder, unique for each replica. */
  readonly identity: string
}

/** How signed actions are verified, and where their Jobs are. */
export interface ActionsConfig {
  /** The file of an ActionTrust; absent where the package decides, or a keyring is given. */
  readonly trust?: string
  /** The file of the keys of a trust of defaults. */
  readonly keyring?: string
  readonly namespace: string
}

/** What a server listens on. */
export interface Address {
  /** Absent to listen on all addresses. */
  readonly host?: string
  readonly port: number
}

/** The address of probes and metrics. */
export interface HealthConfig extends Address {
  readonly readyWithin: number
}

/** The address of the webhook, and the folder of its mounted Secret. */
export interface HookConfig extends Address {
  readonly secret: string
}
