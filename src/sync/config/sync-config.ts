import type { Person } from '../git/repository.ts'

/** What can be collected. */
export type CollectName = 'nodes' | 'pods' | 'usage' | 'events' | 'tickets' | 'claims'

/** A SyncConfig as it was read: every default filled in, every duration in milliseconds. */
export interface SyncConfig {
  readonly cluster: string
  /** Always with `nodes`. */
  readonly collect: readonly CollectName[]
  /** Keys of labels, with `*` for any characters. */
  readonly labels: readonly string[]
  readonly inventory: { readonly exact: boolean; readonly uid: boolean; readonly counts: boolean }
  /** Folders and files of the repository. */
  readonly packages: readonly string[]
  readonly mode: 'inventory' | 'rendered'
  /** Present in the mode `rendered`. */
  readonly output?: string
  /** Present where changes go to branches of their own. */
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
  readonly leaderElection: LeaderElectionConfig
  readonly health: HealthConfig
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

/** Who pushes, where there are several. */
export interface LeaderElectionConfig {
  readonly enabled: boolean
  /** Absent where neither the file nor the pod says one. */
  readonly namespace?: string
  readonly name: string
  /** The holder's name: no two replicas have the same. */
  readonly identity: string
}

/** The endpoints for probes and metrics. */
export interface HealthConfig {
  /** Absent for every address of the machine. */
  readonly host?: string
  readonly port: number
  readonly readyWithin: number
}
