import { KubeError, type PodSpec, type RunningPod, usedByPod } from '../../kube/index.ts'
import { filledText } from './entry-fields.ts'
import { type PlacedPod, sharedRequests } from './node-sums.ts'

/** A Pod, as the API server returns it. */
export interface PodObject extends RunningPod {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly uid?: unknown
    readonly creationTimestamp?: unknown
    readonly deletionTimestamp?: unknown
    readonly ownerReferences?: ReadonlyArray<{ kind?: string; name?: string; controller?: boolean }>
  }
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
  const node = nodeOf(pod)
  const requests = node === undefined ? undefined : usedByPod(pod)
  if (node === undefined || requests === undefined) return undefined
  const { namespace, ownerReferences } = pod.metadata
  const owner = ownerReferences?.find(({ controller }) => controller === true)
  const daemonSet = owner?.kind === 'DaemonSet' ? { namespace, name: owner.name ?? '' } : undefined
  const share = daemonSet === undefined ? { namespace } : { daemonSet }
  return { node, share: { ...share, requests: sharedRequests(requests) } }
}

const MIRROR = 'kubernetes.io/config.mirror'

/** Whether a pod is made for its node, by a DaemonSet or the kubelet: it never blocks the node's removal. */
export function isNodePod({ metadata }: PodObject): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  return owner?.kind === 'DaemonSet' || owner?.kind === 'Node' || metadata.annotations?.[MIRROR] !== undefined
}

/** Returns the node of a pod; undefined if it has none. */
export function nodeOf({ spec }: PodObject): string | undefined {
  return filledText((spec as PodSpec | undefined)?.nodeName)
}

/** Returns the node whose removal a pod blocks; undefined for one without a node, ended, or made for its node. */
export function blockedNode(pod: PodObject): string | undefined {
  const { phase } = pod.status ?? {}
  return phase === 'Succeeded' || phase === 'Failed' || isNodePod(pod) ? undefined : nodeOf(pod)
}
