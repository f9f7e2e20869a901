import type { WorkloadSnapshot } from '../../kinds/index.ts'
import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { type Affinity, type Container, type PodSpec, podRequests } from '../../kube/index.ts'
import { byName, filledText, present, validTime } from './entry-fields.ts'
import { amountsText, sharedRequests } from './node-sums.ts'
import { isNodePod, type PodObject } from './pod-object.ts'

/** Equal pending pods of a WorkloadSnapshot. */
export type SnapshotPending = NonNullable<WorkloadSnapshot['spec']['pending']>[number]

/** A pending pod, and what it has in common with others. */
export type PendingEntry = { readonly like: SnapshotPending['like']; readonly pod: SnapshotPending['pods'][number] }

const DEFAULT_SCHEDULER = 'default-scheduler'

/**
 * Returns a pod that waits for a node; undefined for one that has a node, has ended, or is made for its node. Throws
 * `KubeError` on a malformed quantity.
 */
export function pendingPod(pod: PodObject): PendingEntry | undefined {
  const spec = (pod.spec ?? {}) as PodSpec
  const { phase = 'Pending', nominatedNodeName } = (pod.status ?? {}) as {
    phase?: unknown
    nominatedNodeName?: unknown
  }
  if (filledText(spec.nodeName) !== undefined || phase !== 'Pending' || isNodePod(pod)) return undefined
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = pod.metadata
  const condition = listOf(memberOf(pod.status, 'conditions')).find((one) => memberOf(one, 'type') === 'PodScheduled')
  const isRefused = memberOf(condition, 'status') === 'False'
  const refusedAt = isRefused ? validTime(memberOf(condition, 'lastTransitionTime')) : undefined
  return {
    like: likeOf(pod, spec),
    pod: present({
      namespace: filledText(namespace),
      name,
      uid: filledText(uid),
      since: refusedAt ?? validTime(creationTimestamp),
      reason: isRefused ? filledText(memberOf(condition, 'reason')) : undefined,
      nominated: filledText(nominatedNodeName),
      deleting: typeof deletionTimestamp === 'string' ? true : undefined,
    }) as PendingEntry['pod'],
  }
}

function likeOf({ metadata }: PodObject, spec: PodSpec): SnapshotPending['like'] {
  const { nodeSelector, affinity, tolerations, priority, priorityClassName, schedulerName, schedulingGates } = spec
  const limits = limitsOf(spec)
  const gates = listOf(schedulingGates).flatMap((gate) => filledText(memberOf(gate, 'name')) ?? [])
  return present({
    requests: amountsText(sharedRequests(podRequests(spec))),
    nodeSelector: filled(Object.entries(nodeSelector ?? {}).sort(), Object.fromEntries),
    affinity: requiredAffinity(affinity),
    tolerations: filled(listOf(tolerations).filter(isMap), (list) => [...list]),
    priority: Number.isSafeInteger(priority) && priority !== 0 ? (priority as number) : undefined,
    priorityClassName: filledText(priorityClassName),
    schedulerName: schedulerName === DEFAULT_SCHEDULER ? undefined : filledText(schedulerName),
    controller: metadata.ownerReferences?.find(({ controller }) => controller === true)?.kind,
    gates: filled(gates, (list) => [...list]),
    limits: filled(limits, (list) => [...list]),
  }) as SnapshotPending['like']
}

/** Returns the required node affinity alone: the scheduler only prefers the rest. */
function requiredAffinity(affinity: Affinity | undefined): { nodeAffinity: object } | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? undefined
  return required && { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } }
}

/** Returns what decides where a pod may run beyond requests, labels and taints. */
function limitsOf({ volumes, topologySpreadConstraints, affinity, resourceClaims, ...spec }: PodSpec): string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const isRequired = (one: unknown) =>
    listOf(memberOf(one, 'requiredDuringSchedulingIgnoredDuringExecution')).length > 0
  const present: Record<string, boolean> = {
    volumes: listOf(volumes).some((one) => isMap(one) && (isMap(one.persistentVolumeClaim) || isMap(one.ephemeral))),
    spread: listOf(topologySpreadConstraints).some((one) => memberOf(one, 'whenUnsatisfiable') !== 'ScheduleAnyway'),
    podAffinity: isRequired(affinity?.podAffinity) || isRequired(affinity?.podAntiAffinity),
    hostPorts: containers.some(hasHostPort),
    resourceClaims: listOf(resourceClaims).length > 0,
  }
  return Object.keys(present).filter((name) => present[name])
}

function hasHostPort(container: Container): boolean {
  return listOf(memberOf(container, 'ports')).some((port) => Number(memberOf(port, 'hostPort') ?? 0) > 0)
}

/** Folds pending pods that are equal in all that decides where they may run. The order of the pods changes nothing. */
export function foldPending(pods: Iterable<PendingEntry>): SnapshotPending[] {
  const lots = new Map<string, SnapshotPending>()
  for (const { like, pod } of pods) {
    const key = JSON.stringify(like)
    const lot = lots.get(key)
    if (lot === undefined) lots.set(key, { like, pods: [pod] })
    else lot.pods.push(pod)
  }
  const all = [...lots.values()]
  for (const { pods: list } of all) list.sort(byName)
  return all.sort(({ pods: [a] }, { pods: [b] }) => (a === undefined || b === undefined ? 0 : byName(a, b)))
}

function filled<T, R>(list: readonly T[], make: (list: readonly T[]) => R): R | undefined {
  return list.length === 0 ? undefined : make(list)
}
