import { foreignOwners, isReadablePodSpec, podSpecOf } from '../../core/object/index.ts'
import type { PodObject } from '../../facts/inventory/index.ts'
import {
  type ContainerKill,
  type DaemonPods,
  daemonKey,
  daemonPods,
  noPods,
  type PodUsage,
  p95,
  percentile,
  podUsages,
  readUnits,
  recentKills,
  sumOf,
  takenAt,
} from '../../facts/usage/index.ts'
import { listNames, plural } from '../../krm/finding.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  type Container,
  daemonEligibility,
  type Node,
  type PodSpec,
  type PodTemplateSpec,
  podRequests,
  timeText,
  units,
  unlessMalformed,
  withDefaultRequests,
} from '../../kube/index.ts'
import {
  type Amounts,
  amountText,
  type NodeShare,
  rangeText,
  type ScannedDaemonSet,
  type Used,
  type Verdict,
} from './types.ts'

/** What a cluster has, as its API returns it. */
export interface ScanInput {
  readonly nodes: readonly Node[]
  readonly daemonSets: readonly KubernetesObject[]
  /** Without pods, a DaemonSet counts as running wherever it may start. */
  readonly pods?: readonly PodObject[]
  /** PodMetrics of the metrics API, of one moment. */
  readonly metrics?: readonly KubernetesObject[]
  /** Returns why a DaemonSet is better left alone, whatever its nodes. */
  readonly leave?: (daemonSet: KubernetesObject) => string | undefined
  /** Returns what the first look says of a DaemonSet that is neither left alone nor starved. */
  readonly judge?: (daemonSet: KubernetesObject) => Judgement | undefined
  /**
   * Returns what all pods of a DaemonSet would request by a first policy, or in words why it would change nothing;
   * undefined where there is none.
   */
  readonly first?: (daemonSet: KubernetesObject) => Amounts | string | undefined
}

/** A verdict, and its figures in words. */
export interface Judgement {
  readonly verdict: Verdict
  readonly why: string
}

/**
 * Returns the DaemonSets of a cluster with what each requests and uses and what is to be said of it, those first that
 * matter most: by verdict, then by what they request.
 */
export function scanDaemonSets(input: ScanInput): ScannedDaemonSet[] {
  const { nodes, daemonSets, pods, metrics = [], leave, judge, first } = input
  const ofDaemon = pods === undefined ? undefined : daemonPods(pods)
  const usages = podUsages(metrics)
  const taken = takenAt(metrics)
  const now = taken === undefined ? undefined : Date.parse(taken)
  const sizes = new Map(nodes.map((node) => [node.metadata.name, allocatableOf(node)]))
  const rows = daemonSets.map((daemonSet) => {
    const { namespace, name } = daemonSet.metadata
    const own = ofDaemon?.get(daemonKey(namespace, name)) ?? (ofDaemon === undefined ? undefined : noPods())
    const running = own === undefined ? eligibleNodes(daemonSet, nodes) : [...own.nodes]
    const row = scannedDaemonSet(daemonSet, { own, running, sizes, usages, left: leave?.(daemonSet), judge, now })
    const sized = row.verdict === 'leave it' ? undefined : first?.(daemonSet)
    if (typeof sized === 'object') return { ...row, first: sized }
    // whoever is sent to nodefit init is told what it would say
    return sized === undefined || row.verdict !== 'uneven' ? row : { ...row, why: `${row.why}; nodefit init: ${sized}` }
  })
  const cost = ({ total }: ScannedDaemonSet) => Number(total.memory) / 2 ** 32 + Number(total.cpu) / 1000
  return rows.sort(
    (a, b) =>
      VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
      cost(b) - cost(a) ||
      (daemonKey(a.namespace, a.name) < daemonKey(b.namespace, b.name) ? -1 : 1),
  )
}

const VERDICTS: readonly Verdict[] = [
  'starved',
  'raise',
  'uneven',
  'lower',
  'unset',
  'not measured',
  'fine',
  'leave it',
]

interface Facts {
  readonly own: DaemonPods | undefined
  readonly running: readonly string[]
  readonly sizes: ReadonlyMap<string, Amounts>
  readonly usages: ReadonlyMap<string, PodUsage>
  readonly left: string | undefined
  readonly judge: ScanInput['judge']
  /** When the usage was measured. */
  readonly now: number | undefined
}

function scannedDaemonSet(
  daemonSet: KubernetesObject,
  { own, running, sizes, usages, left, judge, now }: Facts,
): ScannedDaemonSet {
  const { namespace = 'default', name } = daemonSet.metadata
  const pod = podSpecOf(daemonSet)
  const request = requestOf(pod)
  const count = BigInt(running.length)
  const total = own ? sumOf(own.requested.values()) : { cpu: request.cpu * count, memory: request.memory * count }
  const pairs = [...(own?.requested ?? [])].flatMap(([pod, requested]) => {
    const usage = usages.get(daemonKey(namespace, pod))
    return usage === undefined ? [] : [{ requested, usage }]
  })
  const measured = pairs.map(({ usage }) => usage)
  const used = usedNow(measured)
  const known = running.flatMap((node) => sizes.get(node) ?? []).sort(bySize)
  const [smallest, largest] = [known.at(0), known.at(-1)].map((size) => size && shareOf(request, size))
  const owner = foreignOwners(daemonSet)
    .map(({ text }) => text)
    .join('; ')
  const facts = {
    pod,
    request,
    used,
    measured,
    smallest,
    largest,
    left,
    judged: () => judge?.(daemonSet),
    kills: recentKills(own?.kills ?? [], now),
    waiting: own?.waiting ?? 0,
  }
  return {
    namespace,
    name,
    ...(owner === '' ? {} : { owner }),
    nodes: running.length,
    request,
    total,
    ...(smallest && largest ? { smallest, largest } : {}),
    ...(used === undefined ? {} : { used, unused: sumOf(pairs.map(unusedBy)) }),
    ...verdictOf(facts),
  }
}

function usedNow(measured: readonly PodUsage[]): Used | undefined {
  const sums = measured.map((usage) => sumOf(usage.values()))
  const cpu = p95(sums.map((one) => one.cpu))
  const memory = p95(sums.map((one) => one.memory))
  return cpu === undefined || memory === undefined ? undefined : { cpu, memory, pods: sums.length }
}

function unusedBy({ requested, usage }: { requested: Amounts; usage: PodUsage }): Amounts {
  const used = sumOf(usage.values())
  const beyond = (all: bigint, part: bigint) => (all > part ? all - part : 0n)
  return { cpu: beyond(requested.cpu, used.cpu), memory: beyond(requested.memory, used.memory) }
}

/** What a pod requests; nothing of amounts that cannot be read. */
function requestOf(pod: PodSpec): Amounts {
  const requests = isReadablePodSpec(pod) ? unlessMalformed(() => podRequests(withDefaultRequests(pod))) : undefined
  const amount = (resource: 'cpu' | 'memory') => (requests?.[resource] ? units(resource, requests[resource]) : 0n)
  return { cpu: amount('cpu'), memory: amount('memory') }
}

function allocatableOf({ status }: Node): Amounts {
  const { allocatable } = (status ?? {}) as { allocatable?: Record<string, string | number> }
  const amount = (resource: 'cpu' | 'memory') => readUnits(resource, allocatable?.[resource]) ?? 0n
  return { cpu: amount('cpu'), memory: amount('memory') }
}

function bySize(a: Amounts, b: Amounts): number {
  return Number(a.memory - b.memory) || Number(a.cpu - b.cpu)
}

function shareOf(request: Amounts, allocatable: Amounts): NodeShare {
  const percent = (part: bigint, whole: bigint) => (whole === 0n ? 0 : Number((part * 10_000n) / whole) / 100)
  return {
    allocatable,
    cpu: percent(request.cpu, allocatable.cpu),
    memory: percent(request.memory, allocatable.memory),
  }
}

/** The nodes where the DaemonSet controller starts a pod (`NodeShouldRunDaemonPod`). */
function eligibleNodes(daemonSet: KubernetesObject, nodes: readonly Node[]): string[] {
  const template = { spec: podSpecOf(daemonSet) } as PodTemplateSpec
  return nodes.filter((node) => daemonEligibility(template, node).shouldRun).map(({ metadata }) => metadata.name)
}

/** What decides the verdict. */
interface VerdictFacts {
  readonly pod: PodSpec
  readonly request: Amounts
  readonly used: Used | undefined
  readonly measured: readonly PodUsage[]
  readonly smallest: NodeShare | undefined
  readonly largest: NodeShare | undefined
  readonly left: string | undefined
  readonly judged: () => Judgement | undefined
  readonly kills: readonly ContainerKill[]
  readonly waiting: number
}

const STARVED_PERCENT = 90n
const UNEVEN_TIMES = 4n
/** Memory of half of the pods, as a multiple of the request. */
const STARVED_TIMES = 2n
const RESOURCES = ['cpu', 'memory'] as const
/** Returns the first verdict of the table of docs/daemonset/scan.md that fits. */
function verdictOf(facts: VerdictFacts): Judgement {
  const starved = starvedBy(facts)
  const { left } = facts
  if (left !== undefined) return { verdict: 'leave it', why: starved === undefined ? left : `${left}; ${starved}` }
  if (starved !== undefined) return { verdict: 'starved', why: starved }
  const judged = facts.judged()
  if (judged !== undefined) return judged
  const uneven = unevenBy(facts)
  if (uneven !== undefined) return { verdict: 'uneven', why: uneven }
  return { verdict: 'fine', why: 'its usage is not known' }
}

function starvedBy({ pod, request, measured, kills, waiting }: VerdictFacts): string | undefined {
  if (kills.length > 0) return killedText(kills)
  if (waiting > 0)
    return `${plural(waiting, 'pod')} ${waiting === 1 ? 'waits' : 'wait'} for room on ${waiting === 1 ? 'its node' : 'their nodes'}`
  for (const container of containersOf(pod))
    for (const resource of RESOURCES) {
      const limit = readUnits(resource, container.resources?.limits?.[resource])
      const used = p95(measured.flatMap((usage) => usage.get(container.name)?.[resource] ?? []))
      if (limit !== undefined && limit > 0n && used !== undefined && used * 100n > limit * STARVED_PERCENT)
        return `${container.name} uses ${amountText(resource, used)} of its ${resource} limit of ${amountText(resource, limit)}`
    }
  const half = percentile(
    measured.map((usage) => sumOf(usage.values()).memory),
    0.5,
  )
  if (half !== undefined && request.memory > 0n && half > request.memory * STARVED_TIMES)
    return `half of its pods use ${amountText('memory', half)} of memory or more and request ${amountText('memory', request.memory)}: a node that lacks memory evicts them first`
  return undefined
}

/** Which containers were killed, in how many pods, and when last. */
function killedText(kills: readonly ContainerKill[]): string {
  const pods = plural(new Set(kills.map(({ pod }) => pod)).size, 'pod')
  const names = listNames([...new Set(kills.map(({ container }) => container))].sort())
  const last = Math.max(...kills.map(({ at = 0 }) => at))
  const when = last === 0 ? '' : `, last at ${timeText(last)}`
  return `${pods} had ${names} killed for want of memory (OOMKilled)${when}`
}

/** The first resource of which it requests one size on nodes that differ by much, in words. */
function unevenBy({ request, smallest, largest }: VerdictFacts): string | undefined {
  if (smallest === undefined || largest === undefined) return undefined
  for (const resource of RESOURCES) {
    const [low, high] = [smallest.allocatable[resource], largest.allocatable[resource]]
    if (request[resource] > 0n && low > 0n && high > low * UNEVEN_TIMES)
      return `${amountText(resource, request[resource])} of ${resource} on nodes of ${rangeText(resource, low, high)}`
  }
  return undefined
}

function containersOf({ containers, initContainers }: PodSpec): Container[] {
  return [containers, initContainers].flatMap((list) => (Array.isArray(list) ? list : []))
}
