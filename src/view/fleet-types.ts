import type { ChangeKind } from '../change/index.ts'
import type { Severity } from '../finding/index.ts'
import type { GroupKind } from '../world/index.ts'

/**
 * What a run decided for a whole fleet, as plain values: every figure that a page shows is one of these, and is found
 * by its path. Amounts are written as Kubernetes does; `cores` and `gib` are rounded to hundredths.
 */
export interface FleetJson {
  readonly failed: boolean
  readonly clusters: readonly ClusterJson[]
  readonly totals?: BeforeAfter<TotalJson>
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

export interface PackageJson {
  readonly path: string
  readonly agents: readonly AgentJson[]
}

/** What one subject, such as a SizingPolicy, renders. */
export interface AgentJson {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly totals?: BeforeAfter<TotalJson>
  readonly groups: readonly GroupJson[]
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
  /** The 95th percentile of a WorkloadSnapshot, and its percentage of the smallest allocatable amount. */
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
