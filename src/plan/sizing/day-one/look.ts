import type { PodObject } from '../../../facts/inventory/index.ts'
import {
  type DaemonPods,
  daemonKey,
  daemonPods,
  type NodeUsage,
  noPods,
  type PodUsage,
  podUsages,
  readUnits,
  recentKills,
  takenAt,
} from '../../../facts/usage/index.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import {
  type Container,
  daemonEligibility,
  type Node,
  type PodSpec,
  type PodTemplateSpec,
} from '../../../kube/index.ts'
import { medianOf, type Sizes } from './need.ts'
import type { DayAgent, DayContainer, PodUse } from './parts.ts'
import type { NodeSizes } from './steps.ts'

/** What is known of a cluster at the first look. */
export interface Look {
  readonly nodes: readonly Node[]
  /** Undefined where pods are not known: an agent counts as running wherever it may start. */
  readonly pods?: readonly PodObject[]
  /** PodMetrics of the metrics API, of one moment. */
  readonly metrics: readonly KubernetesObject[]
  /** What Prometheus says of containers on each node, over days. */
  readonly days: readonly NodeUsage[]
}

/** A look, ready to be asked for agents. */
export interface Looked {
  /** The allocatable amounts of the nodes, in their order. */
  readonly sizes: readonly NodeSizes[]
  /** Returns an agent by its DaemonSet and the spec of its pods. */
  agent(daemonSet: KubernetesObject, pod: PodSpec): DayAgent
  /** When the newest sample was taken; undefined without one that says it. */
  readonly takenAt?: string
}

const MEBIBYTE = 1n << 20n

/** Reads a look: which pod of which DaemonSet uses what on which node. */
export function lookAt({ nodes, pods, metrics, days }: Look): Looked {
  const indexOf = new Map(nodes.map(({ metadata }, index) => [metadata.name, index]))
  const ofDaemon = pods === undefined ? undefined : daemonPods(pods)
  const usages = podUsages(metrics)
  const taken = takenAt(metrics)
  const byAgent = new Map<string, NodeUsage[]>()
  for (const one of days) {
    const key = daemonKey(one.namespace, one.daemonSet)
    byAgent.set(key, [...(byAgent.get(key) ?? []), one])
  }
  return {
    sizes: nodes.map(sizesOf),
    ...(taken !== undefined && { takenAt: taken }),
    agent: (daemonSet, pod) => {
      const { namespace, name } = daemonSet.metadata
      const key = daemonKey(namespace, name)
      const own = ofDaemon?.get(key) ?? noPods()
      const running = ofDaemon === undefined ? eligible(pod, nodes) : [...own.nodes]
      const at = running.flatMap((node) => indexOf.get(node) ?? [])
      const killed = new Set(
        recentKills(own.kills, taken === undefined ? undefined : Date.parse(taken)).map(nameOfKilled),
      )
      const used = { own, usages, namespace, indexOf, days: byAgent.get(key) ?? [], killed }
      const containers = runningContainers(pod).map((container) => containerOf(container, used))
      return { nodes: at, containers, least: leastOf(pod) }
    },
  }
}

/** The nodes where the DaemonSet controller starts a pod (`NodeShouldRunDaemonPod`). */
function eligible(pod: PodSpec, nodes: readonly Node[]): string[] {
  const template = { spec: pod } as PodTemplateSpec
  return nodes.filter((node) => daemonEligibility(template, node).shouldRun).map(({ metadata }) => metadata.name)
}

/** The containers that run as long as the pod: sidecars are init containers that restart always. */
export function runningContainers({ containers = [], initContainers }: PodSpec): Container[] {
  return [...containers, ...(initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')]
}

/** What the largest init container that ends requests. */
function leastOf({ initContainers }: PodSpec): Sizes {
  const all = (initContainers ?? [])
    .filter(({ restartPolicy }) => restartPolicy !== 'Always')
    .map(({ resources }) => sizesIn(resources?.requests ?? {}, resources?.limits))
  const most = (of: (sizes: Sizes) => number | undefined) => Math.max(0, ...all.map((sizes) => of(sizes) ?? 0))
  return { cpu: most(({ cpu }) => cpu), memory: most(({ memory }) => memory) }
}

interface Used {
  readonly own: DaemonPods
  readonly usages: ReadonlyMap<string, PodUsage>
  readonly namespace: string | undefined
  readonly indexOf: ReadonlyMap<string, number>
  readonly days: readonly NodeUsage[]
  /** The containers that were killed for want of memory. */
  readonly killed: ReadonlySet<string>
}

const nameOfKilled = ({ container }: { readonly container: string }) => container

const FOLLOWS_PERCENT = 85
const HEAP_FOLLOWS_PERCENT = 70
const HEAP = 'GOMEMLIMIT'

/** A container with the best evidence that there is of it; kinds are never mixed. */
function containerOf(container: Container, { own, usages, namespace, indexOf, days, killed }: Used): DayContainer {
  const request = sizesIn(container.resources?.requests ?? {}, container.resources?.limits)
  const limit = sizesIn(container.resources?.limits ?? {})
  const ofDays = days
    .filter((one) => one.container === container.name)
    .flatMap(({ node, cpu, memory, median, peak }): Seen[] => {
      const at = indexOf.get(node)
      return at === undefined ? [] : [{ node: at, cpu, memory, peak, median }]
    })
  const sampled = [...own.nodeOf].flatMap(([pod, node]): Seen[] => {
    const used = usages.get(daemonKey(namespace, pod))?.get(container.name)
    const at = indexOf.get(node)
    // as in sync, 0 is no measurement
    if (used === undefined || at === undefined || used.memory === 0n) return []
    const memory = mebibytes(used.memory)
    return [{ node: at, cpu: Number(used.cpu), memory, peak: memory, median: memory }]
  })
  // the days of a few old nodes say less of the others than one look at all
  const isOfDays = ofDays.length > 0 && ofDays.length * 2 >= sampled.length
  const [kind, pods] = isOfDays ? (['Days', ofDays] as const) : (['Sample', sampled] as const)
  const median = medianOf(pods.map((pod) => pod.median).sort((a, b) => a - b))
  const share = (container.env ?? []).some(({ name }) => name === HEAP) ? HEAP_FOLLOWS_PERCENT : FOLLOWS_PERCENT
  const followsLimit = limit.memory !== undefined && median * 100 >= limit.memory * share
  return {
    name: container.name,
    request,
    limit,
    ...(pods.length > 0 && { kind }),
    pods,
    followsLimit,
    isKilled: killed.has(container.name),
  }
}

interface Seen extends PodUse {
  readonly median: number
}

/** Amounts as numbers; a limit without a request is the request, as the API server defaults it; 0 is none. */
function sizesIn(amounts: Readonly<Record<string, unknown>>, otherwise: Readonly<Record<string, unknown>> = {}): Sizes {
  const cpu = readUnits('cpu', amounts.cpu ?? otherwise.cpu)
  const memory = readUnits('memory', amounts.memory ?? otherwise.memory)
  return {
    ...(cpu !== undefined && cpu > 0n && { cpu: Number(cpu) }),
    ...(memory !== undefined && memory > 0n && { memory: mebibytes(memory) }),
  }
}

function sizesOf({ status }: Node): NodeSizes {
  const { allocatable = {} } = (status ?? {}) as { allocatable?: Record<string, unknown> }
  return {
    cpu: Number(readUnits('cpu', allocatable.cpu) ?? 0n),
    memory: Number((readUnits('memory', allocatable.memory) ?? 0n) / MEBIBYTE),
  }
}

function mebibytes(bytes: bigint): number {
  return Number((bytes + MEBIBYTE - 1n) / MEBIBYTE)
}
