import { listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { KubeError, readQuantity, units, usedByPod } from '../../kube/index.ts'
import type { PodObject } from '../inventory/index.ts'
import { MOST_USED } from './amounts.ts'

/** Exact amounts: cpu in thousandths of a core, memory in bytes. */
export interface ExactAmounts {
  readonly cpu: bigint
  readonly memory: bigint
}

/** Reads a quantity in thousandths of a core or in bytes, rounded up; undefined for none, and for malformed text. */
export function readUnits(resource: 'cpu' | 'memory', text: unknown): bigint | undefined {
  const quantity = readQuantity(text)
  return quantity === undefined ? undefined : units(resource, quantity)
}

/** The last kill of a container for want of memory. */
export interface ContainerKill {
  readonly pod: string
  readonly container: string
  /** When, in milliseconds since 1970; undefined where the status does not say it. */
  readonly at?: number
}

/** What the pods of one DaemonSet show. */
export interface DaemonPods {
  /** The nodes with a pod that has not ended. */
  readonly nodes: Set<string>
  /** What each of these pods requests of its node, by its name. */
  readonly requested: Map<string, ExactAmounts>
  /** The node of each of these pods, by its name. */
  readonly nodeOf: Map<string, string>
  /** The pods with containers that were killed for want of memory, each with the last kill of each. */
  readonly kills: ContainerKill[]
  /** How many pods wait since their node has no room for them. */
  waiting: number
}

/** Returns the pods of each DaemonSet by its namespace and name; pods of other owners are left out. */
export function daemonPods(pods: Iterable<PodObject>): Map<string, DaemonPods> {
  const found = new Map<string, DaemonPods>()
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
    if (owner?.kind !== 'DaemonSet') continue
    const key = daemonKey(pod.metadata.namespace, owner.name ?? '')
    const own = found.get(key) ?? noPods()
    found.set(key, own)
    addPod(own, pod)
  }
  return found
}

/** The key of a DaemonSet in maps and for people: `namespace/name`. */
export function daemonKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? 'default'}/${name}`
}

export function noPods(): DaemonPods {
  return { nodes: new Set(), requested: new Map(), nodeOf: new Map(), kills: [], waiting: 0 }
}

function addPod(own: DaemonPods, pod: PodObject): void {
  own.kills.push(...killsOf(pod))
  const node = memberOf(pod.spec, 'nodeName')
  if (typeof node !== 'string' || node === '') {
    if (isWithoutRoom(pod)) own.waiting++
    return
  }
  const requests = requestsOf(pod)
  if (requests === undefined) return
  own.nodes.add(node)
  own.requested.set(pod.metadata.name, requests)
  own.nodeOf.set(pod.metadata.name, node)
}

/** What a pod requests of its node; undefined once it has ended, nothing where its amounts cannot be read. */
function requestsOf(pod: PodObject): ExactAmounts | undefined {
  try {
    const used = usedByPod(pod)
    return (
      used && { cpu: used.cpu ? units('cpu', used.cpu) : 0n, memory: used.memory ? units('memory', used.memory) : 0n }
    )
  } catch (error) {
    if (error instanceof KubeError) return { cpu: 0n, memory: 0n }
    throw error
  }
}

function killsOf({ metadata, status }: PodObject): ContainerKill[] {
  const containers = ['containerStatuses', 'initContainerStatuses'].flatMap((list) => listOf(memberOf(status, list)))
  return containers.flatMap((container) => {
    const ends = ['state', 'lastState'].map((state) => memberOf(memberOf(container, state), 'terminated'))
    const kill = ends.find((end) => memberOf(end, 'reason') === 'OOMKilled')
    if (kill === undefined) return []
    const at = Date.parse(String(memberOf(kill, 'finishedAt') ?? ''))
    const name = String(memberOf(container, 'name') ?? '')
    return [{ pod: metadata.name, container: name, ...(Number.isNaN(at) ? {} : { at }) }]
  })
}

const KILLS_COUNT_FOR = 7 * 86_400_000

/** The kills of the seven days before a time; those of an unknown time count, and all where no time is known. */
export function recentKills(kills: readonly ContainerKill[], now: number | undefined): readonly ContainerKill[] {
  return kills.filter(({ at }) => at === undefined || now === undefined || at > now - KILLS_COUNT_FOR)
}

/** When the newest of some PodMetrics was taken, RFC 3339; undefined where none says it. */
export function takenAt(metrics: Iterable<KubernetesObject>): string | undefined {
  let newest: string | undefined
  for (const { timestamp } of metrics) {
    if (typeof timestamp !== 'string' || Number.isNaN(Date.parse(timestamp))) continue
    if (newest === undefined || Date.parse(timestamp) > Date.parse(newest)) newest = timestamp
  }
  return newest
}

/** Whether the scheduler finds no room for a pod; the message names what is missing (`Insufficient memory`). */
function isWithoutRoom({ status }: PodObject): boolean {
  return listOf(memberOf(status, 'conditions')).some(
    (condition) =>
      memberOf(condition, 'type') === 'PodScheduled' &&
      memberOf(condition, 'status') === 'False' &&
      /Insufficient|Too many pods/.test(String(memberOf(condition, 'message') ?? '')),
  )
}

/** Sums amounts. */
export function sumOf(amounts: Iterable<ExactAmounts>): ExactAmounts {
  let [cpu, memory] = [0n, 0n]
  for (const one of amounts) {
    cpu += one.cpu
    memory += one.memory
  }
  return { cpu, memory }
}

/** What the containers of a pod use at one moment, by container. */
export type PodUsage = ReadonlyMap<string, ExactAmounts>

/** Returns what each pod uses, by namespace and name, from PodMetrics; what no container can use is left out. */
export function podUsages(metrics: Iterable<KubernetesObject>): Map<string, PodUsage> {
  const usages = new Map<string, PodUsage>()
  for (const object of metrics) {
    const { namespace, name } = object.metadata
    const containers = listOf(memberOf(object, 'containers')).flatMap((entry) => {
      const usage = amountsOf(memberOf(entry, 'usage'))
      return usage === undefined ? [] : [[String(memberOf(entry, 'name') ?? ''), usage] as const]
    })
    if (containers.length > 0) usages.set(daemonKey(namespace, name), new Map(containers))
  }
  return usages
}

const MOST: Readonly<Record<keyof ExactAmounts, bigint>> = { cpu: BigInt(MOST_USED), memory: BigInt(MOST_USED) << 20n }

/** The amounts of a container; undefined where one cannot be read, is negative, or more than any node has. */
function amountsOf(usage: unknown): ExactAmounts | undefined {
  const [cpu, memory] = [readUnits('cpu', memberOf(usage, 'cpu')), readUnits('memory', memberOf(usage, 'memory'))]
  const isAmount = (amount: bigint | undefined, most: bigint): amount is bigint =>
    amount !== undefined && amount >= 0n && amount <= most
  return isAmount(cpu, MOST.cpu) && isAmount(memory, MOST.memory) ? { cpu, memory } : undefined
}

/** Returns the 95th percentile of some amounts by nearest rank; undefined for none. */
export function p95(amounts: readonly bigint[]): bigint | undefined {
  return percentile(amounts, 0.95)
}

/** Returns a percentile of some amounts by nearest rank; undefined for none. */
export function percentile(amounts: readonly bigint[], part: number): bigint | undefined {
  const sorted = [...amounts].sort((a, b) => Number(a - b))
  return sorted[Math.ceil(sorted.length * part) - 1]
}
