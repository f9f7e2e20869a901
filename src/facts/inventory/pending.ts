import type { WorkloadSnapshot } from '../../kinds/index.ts'
import type { Finding, Read, Subject } from '../../krm/finding.ts'
import { isMap, listOf, memberOf } from '../../krm/map.ts'
import {
  type Affinity,
  type Container,
  KubeError,
  type LabelSelector,
  type Labels,
  matchesLabels,
  nodeSelectorProblem,
  type PodSpec,
  podRequests,
  type ResourceQuantities,
  type RunningPod,
  type Toleration,
  tolerationProblem,
  unlessMalformed,
  usedByPod,
} from '../../kube/index.ts'
import {
  amountFindings,
  byName,
  duplicateFindings,
  filledText,
  invalidEntry,
  present,
  timeFindings,
  timeOf,
  validTime,
} from './live-checks.ts'
import { amountsText, type PlacedPod, sharedRequests } from './node-sums.ts'

/** Pending pods that are equal in all that decides where they may run. */
export interface PendingPods {
  /** What one of them requests. */
  readonly requests: ResourceQuantities
  readonly nodeSelector: Labels
  /** Their required node affinity, and nothing else of it. */
  readonly affinity?: Affinity
  readonly tolerations: readonly Toleration[]
  readonly priority: number
  readonly priorityClassName?: string
  readonly schedulerName: string
  /** The kind of the object that controls them. */
  readonly controller?: string
  /** The scheduling gates that hold them. */
  readonly gates: readonly string[]
  /** What limits where they run and is not planned with. */
  readonly limits: readonly string[]
  readonly pods: readonly PendingPod[]
}

/** A pod that has no node. */
export interface PendingPod {
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  /** When the scheduler first refused it, or it was created; undefined if that is unknown. */
  readonly since?: Date
  /** `Unschedulable` or `SchedulingGated`; undefined if the scheduler has not looked at it. */
  readonly reason?: string
  /** The node that the scheduler makes room on for it. */
  readonly nominated?: string
  readonly isDeleting: boolean
}

type Entry = NonNullable<WorkloadSnapshot['spec']['pending']>[number]

/** Reads the pending pods of a snapshot; without a value the snapshot does not record them. */
export function readPending(subject: Subject, { pending }: WorkloadSnapshot['spec']): Read<PendingPods[]> {
  if (pending === undefined) return { findings: [] }
  const names = pending.flatMap(({ pods }) => pods.map(({ namespace = '', name }) => `${namespace}/${name}`))
  const malformed = [
    ...pending.flatMap((entry, index) => entryFindings(subject, entry, `spec.pending.${index}`)),
    ...duplicateFindings(subject, 'pending', names),
  ]
  return malformed.length > 0 ? { findings: malformed } : { value: pending.map(toPending), findings: [] }
}

function toPending({ like, pods }: Entry): PendingPods {
  return {
    ...like,
    requests: like.requests ?? {},
    nodeSelector: like.nodeSelector ?? {},
    affinity: like.affinity as Affinity | undefined,
    tolerations: (like.tolerations ?? []) as Toleration[],
    priority: like.priority ?? 0,
    schedulerName: like.schedulerName ?? 'default-scheduler',
    gates: like.gates ?? [],
    limits: like.limits ?? [],
    pods: pods.map(({ namespace = '', since, deleting, ...pod }) => ({
      ...pod,
      namespace,
      since: timeOf(since),
      isDeleting: deleting === true,
    })),
  }
}

function entryFindings(subject: Subject, { like, pods }: Entry, path: string): Finding[] {
  const tolerations = (like.tolerations ?? []) as Toleration[]
  const required = (like.affinity as Affinity | undefined)?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const affinity = required === undefined ? undefined : affinityProblem(required)
  return [
    ...amountFindings(subject, like.requests, `${path}.like.requests`),
    ...pods.flatMap((pod, index) => timeFindings(subject, pod, ['since'], `${path}.pods.${index}`)),
    ...tolerations.flatMap((toleration, index) => {
      const problem = tolerationProblem(toleration)
      if (problem === undefined) return []
      return [invalidEntry(subject, `${path}.like.tolerations.${index}`, toleration, (at) => `${at}: ${problem}`)]
    }),
    ...(affinity === undefined
      ? []
      : [invalidEntry(subject, `${path}.like.affinity`, like.affinity, (at) => `${at}: ${affinity}`)]),
  ]
}

function affinityProblem(required: unknown): string | undefined {
  const terms = (required as { nodeSelectorTerms?: unknown } | null)?.nodeSelectorTerms
  return Array.isArray(terms) ? nodeSelectorProblem(terms) : 'nodeSelectorTerms is not a list'
}

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
  const limits = [...limitsOf(spec), ...onePerNode(spec, metadata)]
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

/** How the limits begin that are planned with: no two pods with the same one share a node. */
export const ONE_PER_NODE = 'onePerNode '

/** Returns what no two pods on a node may have in common: host ports, and labels that a pod repels and has itself. */
function onePerNode({ affinity, ...spec }: PodSpec, { namespace = '', labels = {} }: PodObject['metadata']): string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const ports = containers
    .flatMap((container) => listOf(memberOf(container, 'ports')))
    .flatMap((port) => {
      const number = Number(memberOf(port, 'hostPort') ?? 0)
      return number > 0 ? [`${ONE_PER_NODE}${number}/${String(memberOf(port, 'protocol') ?? 'TCP')}`] : []
    })
  const terms = listOf(memberOf(affinity?.podAntiAffinity, 'requiredDuringSchedulingIgnoredDuringExecution'))
  const repelled = terms.flatMap((term) => {
    const [selector, others] = [memberOf(term, 'labelSelector'), listOf(memberOf(term, 'namespaces'))]
    const isHere = others.length === 0 || others.includes(namespace)
    // what these add is another question than the pod's own labels
    const isPlain =
      memberOf(term, 'namespaceSelector') === undefined && listOf(memberOf(term, 'mismatchLabelKeys')).length === 0
    if (memberOf(term, 'topologyKey') !== 'kubernetes.io/hostname' || !isMap(selector) || !isHere || !isPlain) return []
    const isOwn = unlessMalformed(() => matchesLabels(selector as LabelSelector, labels)) === true
    return isOwn ? [`${ONE_PER_NODE}${namespace} ${JSON.stringify(selector)}`] : []
  })
  return [...new Set([...ports, ...repelled])].sort()
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

/** A Pod, as the API server returns it. */
export interface PodObject extends RunningPod {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Labels
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
function isNodePod({ metadata }: PodObject): boolean {
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
