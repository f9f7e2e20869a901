import { KubeError, type PodSpec, type RunningPod, usedByPod } from '../kube/index.ts'
import { NODEFIT, type WorkloadSnapshot } from '../policy/index.ts'
import { nodeSums, type PlacedPod, sharedRequests } from './node-sums.ts'
import type { SnapshotTicket } from './snapshot-entries.ts'

/** A Pod, as the API server gives it. */
export interface PodObject extends RunningPod {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly ownerReferences?: ReadonlyArray<{ kind?: string; name?: string; controller?: boolean }>
  }
}

/** Which snapshot it is. */
export interface SnapshotIdentity {
  readonly name: string
  readonly cluster: string
  readonly observedAt?: string
}

/** What a writer of snapshots decides. */
export interface SnapshotOptions extends SnapshotIdentity {
  /** The nodes of the cluster; pods on others are left out. */
  readonly nodes: readonly string[]
  /** The Tickets of the cluster, where they were looked at. */
  readonly tickets?: readonly SnapshotTicket[]
}

/** What a snapshot may say; a part that nobody looked at is absent. */
export type SnapshotParts = Omit<WorkloadSnapshot['spec'], 'cluster' | 'observedAt' | 'collected'>

/** The parts whose entries are counted, so that a cut is seen; in the order in which they are written. */
export const COUNTED_PARTS = ['nodes', 'claims', 'tickets', 'usage', 'events'] as const

/** What makes a Pod unreadable, in words; the API server gives none of these. */
export function podProblem({ spec, status }: { spec?: unknown; status?: RunningPod['status'] }): string | undefined {
  const { containers, initContainers } = (spec ?? {}) as PodSpec
  if (![containers, initContainers].every((list) => Array.isArray(list ?? []))) return 'its containers are no list'
  try {
    usedByPod({ spec: (spec ?? {}) as PodSpec, status })
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/** A pod as its node counts it; undefined without a node, or once it has ended. Throws `KubeError` on a malformed quantity. */
export function placedPod(pod: PodObject): PlacedPod | undefined {
  const node = (pod.spec as PodSpec | undefined)?.nodeName
  const requests = node === undefined || node === '' ? undefined : usedByPod(pod)
  if (node === undefined || requests === undefined) return undefined
  const { namespace, ownerReferences } = pod.metadata
  const owner = ownerReferences?.find(({ controller }) => controller === true)
  const daemonSet = owner?.kind === 'DaemonSet' ? { namespace, name: owner.name ?? '' } : undefined
  return { node, share: { daemonSet, requests: sharedRequests(requests) } }
}

/** A WorkloadSnapshot of what was looked at: the pods, the Tickets, or both. It depends on these alone, not on their order. */
export function toSnapshot(pods: readonly PodObject[] | undefined, options: SnapshotOptions): Record<string, unknown> {
  const { tickets } = options
  const known = new Set(options.nodes)
  const placed = pods
    ?.filter(({ spec }) => known.has((spec as PodSpec | undefined)?.nodeName ?? ''))
    .flatMap((pod) => placedPod(pod) ?? [])
  return snapshotFromParts({ ...(placed && nodeSums(placed, known)), tickets: tickets && [...tickets] }, options)
}

/** A WorkloadSnapshot of these parts, each counted in `collected`. Its lists come in the order that they have here. */
export function snapshotFromParts(parts: SnapshotParts, identity: SnapshotIdentity): Record<string, unknown> {
  const counts = COUNTED_PARTS.map((name) => [name, parts[name]?.length] as const)
  const { metricsAvailable, nodes, daemonSets, claims, tickets, usage, events } = parts
  return {
    apiVersion: NODEFIT,
    kind: 'WorkloadSnapshot',
    metadata: { name: identity.name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    spec: {
      cluster: identity.cluster,
      ...present({ observedAt: identity.observedAt, metricsAvailable }),
      collected: present(Object.fromEntries(counts)),
      ...present({ nodes, daemonSets, claims, tickets, usage, events }),
    },
  }
}

function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
