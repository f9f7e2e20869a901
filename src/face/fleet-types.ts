import type { GroupKind } from '../core/index.ts'
import type { ChangeKind } from '../fate/index.ts'
import type { Severity } from '../krm/finding.ts'
import type { OverviewRow } from './overview.ts'

/**
 * What a run decided for a whole fleet, as plain values: every figure that a page shows is one of these, and is found
 * by its path. Amounts are written as Kubernetes does; `cores` and `gib` are rounded to hundredths.
 */
export interface FleetJson {
  readonly failed: boolean
  readonly clusters: readonly ClusterJson[]
  readonly totals?: BeforeAfter<TotalJson>
  /** Set where prices are given. */
  readonly cost?: CostJson
  /** What the run does for each subject in each package; of a package with errors what they are. */
  readonly overview: readonly OverviewJson[]
  readonly packages: readonly PackageJson[]
  readonly findings: readonly FindingJson[]
}

export interface ClusterJson {
  readonly name: string
  readonly observedAt?: string
  readonly nodes: number
}

/** A figure now and, where it is known, before. */
export interface BeforeAfter<One> {
  readonly before?: One
  readonly after: One
}

/** What the pods of agents request on today's nodes. */
export interface TotalJson {
  readonly pods: number
  readonly cores: string
  readonly gib: string
}

export type OverviewJson = Omit<OverviewRow, 'totals'> & { readonly totals?: BeforeAfter<TotalJson> }

export interface PackageJson {
  readonly path: string
  readonly agents: readonly AgentJson[]
  /** All nodes, those of one type with the same agents together. */
  readonly nodes: readonly NodeRowJson[]
  /** The node with the least room. */
  readonly fullest?: FullestJson
  /** How many Tickets nodes have, the most first. */
  readonly tickets: readonly TicketsJson[]
}

export interface NodeRowJson {
  readonly cluster?: string
  readonly type?: string
  readonly nodes: number
  readonly names: readonly string[]
  readonly allocatable?: { readonly cpu?: string; readonly memory?: string }
  /** What the agents of one of the nodes request together. */
  readonly requested: RequestedJson
  readonly agents: ReadonlyArray<{
    /** The number of the agent in its package. */
    readonly agent: number
    readonly group: string
    readonly cpu?: string
    readonly memory?: string
  }>
}

/** Amounts, and their shares of the smallest allocatable amounts. */
export interface RequestedJson {
  readonly cpu: string
  readonly memory: string
  readonly cpuPercent?: number
  readonly memoryPercent?: number
}

export interface FullestJson {
  readonly name?: string
  readonly type?: string
  /** Whether other pods are counted, as a WorkloadSnapshot shows them. */
  readonly countsOthers: boolean
  /** The larger share. */
  readonly percent: number
  readonly requested: RequestedJson
  readonly free: { readonly cpu: string; readonly memory: string }
}

export interface TicketsJson {
  readonly tickets: number
  readonly nodes: number
  readonly names: readonly string[]
}

/** What agents are charged of the prices of their nodes. */
export interface CostJson {
  readonly hour: BeforeAfter<string>
  /** 730 hours. */
  readonly month: BeforeAfter<string>
  /** The nodes whose type has a price, and all. */
  readonly pricedNodes: number
  readonly nodes: number
}

/** What one subject, such as a SizingPolicy, renders. */
export interface AgentJson {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly totals?: BeforeAfter<TotalJson>
  readonly cost?: CostJson
  readonly groups: readonly GroupJson[]
  readonly changes: ChangesJson
  /** Nodes that no group holds, with the reason. */
  readonly left: readonly LeftJson[]
}

export interface LeftJson {
  readonly nodes: number
  readonly words: string
  readonly reason: string
  readonly names: readonly string[]
}

/** One rendered object that has amounts. */
export interface GroupJson {
  readonly name: string
  readonly kind?: GroupKind
  readonly change: ChangeKind
  readonly nodes?: number
  /** The first names of its nodes. */
  readonly names: readonly string[]
  /** The smallest allocatable amounts of its nodes, of which percentages are taken; of the node types that may come. */
  readonly allocatable?: { readonly cpu?: string; readonly memory?: string }
  /** The largest, where they differ. */
  readonly largest?: { readonly cpu?: string; readonly memory?: string }
  readonly podsRestarted?: number
  readonly nodesMoved?: number
  readonly nodesWithoutAgent?: number
  readonly containers: readonly ContainerJson[]
}

export interface ContainerJson {
  readonly name: string
  readonly cpu: ResourceJson
  readonly memory: ResourceJson
}

export interface ResourceJson {
  readonly request: AmountJson
  readonly limit: AmountJson
  /** What was seen of usage, from a WorkloadSnapshot, and its percentage of the smallest allocatable amount. */
  readonly used?: string
  readonly usedPercent?: number
}

/** An amount; null where it is not set. Percentages are of the smallest allocatable amount of the group's nodes. */
export interface AmountJson {
  readonly after: string | null
  /** Set where it is known and differs. */
  readonly before?: string | null
  readonly percent?: number
  /** The template's own amount. */
  readonly template?: string
  readonly templatePercent?: number
}

export interface FindingJson {
  readonly severity: Severity
  readonly code: string
  readonly subject?: string
  readonly sentence: string
  readonly mend?: string
  readonly lines?: readonly string[]
}

/** What becomes of the rendered objects since the earlier output. */
export interface ChangesJson {
  readonly added: number
  readonly changed: number
  readonly removed: number
  readonly released: number
  readonly unchanged: number
  readonly objects: ReadonlyArray<{
    readonly object: string
    readonly change: ChangeKind
    /** The paths of the fields that differ. */
    readonly fields: readonly string[]
  }>
}
