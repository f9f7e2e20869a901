import { KubeError, type PodSpec, type RunningPod, usedByPod } from '../kube/index.ts'
import { NODEFIT, type WorkloadSnapshot } from '../policy/index.ts'
import { nodeSums, type PlacedPod, sharedRequests } from './node-sums.ts'
import type { SnapshotTicket } from './snapshot-entries.ts'

/** A Pod, as the API server returns it. */
export interface PodObject extends RunningPod {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly ownerReferences?: ReadonlyArray<{ kind?: string; name?: string; controller?: boolean }>
  }
}

/** The name, cluster and time of a snapshot. */
export interface SnapshotIdentity {
  readonly name: string
  readonly cluster: string
  readonly observedAt?: string
}

/** The options of a snapshot's writer. */
export interface SnapshotOptions extends SnapshotIdentity {
  /** The nodes of the cluster. Pods on other nodes are left out. */
  readonly nodes: readonly string[]
  /** The Tickets of the cluster, if they were listed. */
  readonly tickets?: readonly SnapshotTicket[]
}

/** The parts of a snapshot; a part that was not collected is absent. */
export type SnapshotParts = Omit<WorkloadSnapshot['spec'], 'cluster' | 'observedAt' | 'collected'>

/** The parts whose entries are counted to detect truncation, in the order in which they are written. */
export const COUNTED_PARTS = ['nodes', 'pending', 'claims', 'pools', 'machines', 'tickets', 'usage', 'events'] as const

/** Returns the number of entries of a part, of `pending` the number of pods; undefined if the part is absent. */
export function partCount(parts: SnapshotParts, part: (typeof COUNTED_PARTS)[number]): number | undefined {
  return part === 'pending' ? parts.pending?.reduce((sum, { pods }) => sum + pods.length, 0) : parts[part]?.length
}

/** Returns why a Pod cannot be read, in words; the API server returns no such Pod. */
export function podProblem({ spec, status }: { spec?: unknown; status?: RunningPod['status'] }): string | undefined {
  const { containers, initContainers } = (spec ?? {}) as PodSpec
  if (![containers, initContainers].every((list) => Array.isArray(list ?? []))) return 'its containers are not a list'
  try {
    usedByPod({ spec: (spec ?? {}) as PodSpec, status })
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/**
 * Returns the share of a pod in the sums of its node; undefined if it has no node, or has ended. Throws `KubeError` on
 * a malformed quantity.
 */
export function placedPod(pod: PodObject): PlacedPod | undefined {
  const node = (pod.spec as PodSpec | undefined)?.nodeName
  const requests = node === undefined || node === '' ? undefined : usedByPod(pod)
  if (node === undefined || requests === undefined) return undefined
  const { namespace, ownerReferences } = pod.metadata
  const owner = ownerReferences?.find(({ controller }) => controller === true)
  const daemonSet = owner?.kind === 'DaemonSet' ? { namespace, name: owner.name ?? '' } : undefined
  return { node, share: { daemonSet, requests: sharedRequests(requests) } }
}

/** Writes a WorkloadSnapshot of the listed pods, Tickets or both. The result does not depend on their order. */
export function toSnapshot(pods: readonly PodObject[] | undefined, options: SnapshotOptions): Record<string, unknown> {
  const { tickets } = options
  const known = new Set(options.nodes)
  const placed = pods
    ?.filter(({ spec }) => known.has((spec as PodSpec | undefined)?.nodeName ?? ''))
    .flatMap((pod) => placedPod(pod) ?? [])
  return snapshotFromParts({ ...(placed && nodeSums(placed, known)), tickets: tickets && [...tickets] }, options)
}

/** Writes a WorkloadSnapshot of the parts, with the count of each in `collected`. Lists keep their order. */
export function snapshotFromParts(parts: SnapshotParts, identity: SnapshotIdentity): Record<string, unknown> {
  const counts = COUNTED_PARTS.map((name) => [name, partCount(parts, name)] as const)
  const { metricsAvailable, nodes, daemonSets, pending, claims, pools, machines, tickets, usage, events } = parts
  return {
    apiVersion: NODEFIT,
    kind: 'WorkloadSnapshot',
    metadata: { name: identity.name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    spec: {
      cluster: identity.cluster,
      ...present({ observedAt: identity.observedAt, metricsAvailable }),
      collected: present(Object.fromEntries(counts)),
      ...present({ nodes, daemonSets, pending, claims, pools, machines, tickets, usage, events }),
    },
  }
}

function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
