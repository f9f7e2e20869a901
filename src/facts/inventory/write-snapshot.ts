import { NODEFIT, type WorkloadSnapshot } from '../../kinds/index.ts'
import { present } from './live-checks.ts'
import { type NodeCompletion, withClaims, withNodeDetails } from './live-nodes.ts'
import { nodeSums } from './node-sums.ts'
import { blockedNode, foldPending, type PodObject, pendingPod, placedPod } from './pending.ts'

/** The name, cluster and time of a snapshot; `clusterUid` is that of the inventory beside it. */
export interface SnapshotIdentity {
  readonly name: string
  readonly cluster: string
  readonly clusterUid?: string
  readonly observedAt?: string
}

/** The options of a snapshot's writer. */
export interface SnapshotOptions extends SnapshotIdentity {
  /** The nodes of the cluster. Pods on other nodes are left out. */
  readonly nodes: readonly string[]
  /** Other parts of the snapshot, as far as they were listed. */
  readonly parts?: Pick<SnapshotParts, 'claims' | 'pools' | 'machines' | 'tickets' | 'usage'>
  /** What pools need of nodes; with it, pods that wait for a node are written too. */
  readonly completion?: Pick<NodeCompletion, 'details' | 'earlier'>
}

/** The parts of a snapshot; a part that was not collected is absent. */
export type SnapshotParts = Omit<WorkloadSnapshot['spec'], 'cluster' | 'clusterUid' | 'observedAt' | 'collected'>

/** The parts whose entries are counted to detect truncation, in the order in which they are written. */
export const COUNTED_PARTS = [
  'nodes',
  'namespaces',
  'pending',
  'claims',
  'pools',
  'machines',
  'tickets',
  'usage',
  'events',
  'workloads',
  'components',
] as const

/** Returns the number of entries of a part, equal pods and claims one by one; undefined if the part is absent. */
export function partCount(parts: SnapshotParts, part: (typeof COUNTED_PARTS)[number]): number | undefined {
  if (part === 'pending') return parts.pending?.reduce((sum, { pods }) => sum + pods.length, 0)
  if (part === 'claims') return parts.claims?.reduce((sum, { claims }) => sum + (claims?.length ?? 1), 0)
  return parts[part]?.length
}

/** Writes a WorkloadSnapshot of what was listed. The result does not depend on its order. */
export function toSnapshot(pods: readonly PodObject[] | undefined, options: SnapshotOptions): Record<string, unknown> {
  const { parts, completion, observedAt } = options
  const known = new Set(options.nodes)
  const placed = pods?.flatMap((pod) => placedPod(pod) ?? [])
  const sums = placed && nodeSums(placed, known)
  if (pods === undefined || sums === undefined || completion === undefined)
    return snapshotFromParts({ ...sums, ...parts }, options)
  const blocking = blockingCounts(pods)
  const nodes = withNodeDetails(sums.nodes, { ...completion, blocking, observedAt })
  const pending = foldPending(pods.flatMap((pod) => pendingPod(pod) ?? []))
  return snapshotFromParts({ ...sums, nodes, pending, ...parts }, options)
}

/** Counts the pods that block the removal of each node. */
function blockingCounts(pods: readonly PodObject[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const pod of pods) {
    const node = blockedNode(pod)
    if (node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1)
  }
  return counts
}

/**
 * Writes a WorkloadSnapshot of the parts, with the count of each in `collected`. Lists keep their order. Where claims
 * are among them, nodes name theirs, unless it has their name.
 */
export function snapshotFromParts(given: SnapshotParts, identity: SnapshotIdentity): Record<string, unknown> {
  const { nodes: listed, claims: known } = given
  const parts = listed && known ? { ...given, nodes: withClaims(listed, known) } : given
  const counts = COUNTED_PARTS.map((name) => [name, partCount(parts, name)] as const)
  const { metricsAvailable, nodes, daemonSets, namespaces, pending, claims, pools, machines, tickets, usage, events } =
    parts
  const { workloads, capacity, components, targets, outcomes } = parts
  return {
    apiVersion: NODEFIT,
    kind: 'WorkloadSnapshot',
    metadata: { name: identity.name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    spec: {
      cluster: identity.cluster,
      ...present({ clusterUid: identity.clusterUid, observedAt: identity.observedAt, metricsAvailable }),
      collected: present(Object.fromEntries(counts)),
      ...present({ nodes, daemonSets, namespaces, pending, claims, pools, machines, tickets, usage, events }),
      ...present({ workloads, capacity, components, targets, outcomes }),
    },
  }
}
