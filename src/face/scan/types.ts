/** An amount of cpu in thousandths of a core, and of memory in bytes. */
export interface Amounts {
  readonly cpu: bigint
  readonly memory: bigint
}

/** The amounts of a pod, as shares of the allocatable amounts of a node, in percent. */
export interface NodeShare {
  readonly allocatable: Amounts
  readonly cpu: number
  readonly memory: number
}

/** What a pod uses at one moment: the 95th percentile over the pods of a DaemonSet. */
export interface Used extends Amounts {
  /** How many pods were measured. */
  readonly pods: number
}

/**
 * What is to be said of a DaemonSet. `starved`: it uses more than 90 % of a limit, was killed for want of memory, or a
 * pod waits for room. `uneven`: one size on nodes that differ by more than four times. `wasteful`: it uses less than
 * 30 % of a request. `leave it`: managed elsewhere, or a part of its node.
 */
export type Verdict = 'starved' | 'uneven' | 'wasteful' | 'fine' | 'leave it'

/** One DaemonSet of a cluster. */
export interface ScannedDaemonSet {
  readonly namespace: string
  readonly name: string
  /** Who applies it, such as `Helm release fluent-bit in logging`. */
  readonly owner?: string
  /** The nodes that it runs on; without pods those that it may start on. */
  readonly nodes: number
  /** What a pod of its template requests. */
  readonly request: Amounts
  /** What all its pods request. */
  readonly total: Amounts
  /** Of the smallest and the largest of its nodes, by memory and then cpu. */
  readonly smallest?: NodeShare
  readonly largest?: NodeShare
  readonly used?: Used
  /** Requests beyond what is used, summed over the pods that were measured. */
  readonly unused?: Amounts
  /** What all its pods would request by the first policy of `nodefit init`; undefined where there is none. */
  readonly first?: Amounts
  readonly verdict: Verdict
  /** The figures of the verdict, in words. */
  readonly why: string
}
