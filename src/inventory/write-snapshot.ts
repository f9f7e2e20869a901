import { KubeError, type PodSpec, Quantity, type RunningPod, units, usedByPod } from '../kube/index.ts'
import type { SnapshotTicket } from './write-tickets.ts'

/** A Pod, as the API server gives it. */
export interface PodObject extends RunningPod {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly ownerReferences?: ReadonlyArray<{ kind?: string; name?: string; controller?: boolean }>
  }
}

/** What a writer of snapshots decides. */
export interface SnapshotOptions {
  readonly name: string
  readonly cluster: string
  readonly observedAt?: string
  /** The nodes of the cluster; pods on others are left out. */
  readonly nodes: readonly string[]
  /** The Tickets of the cluster, where they were looked at. */
  readonly tickets?: readonly SnapshotTicket[]
}

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

/** A WorkloadSnapshot of what was looked at: the pods, the Tickets, or both. It depends on these alone, not on their order. */
export function toSnapshot(pods: readonly PodObject[] | undefined, options: SnapshotOptions): Record<string, unknown> {
  const { tickets } = options
  const names = [...options.nodes].sort()
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: options.name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    spec: {
      cluster: options.cluster,
      ...(options.observedAt === undefined ? {} : { observedAt: options.observedAt }),
      collected: {
        ...(pods === undefined ? {} : { nodes: names.length }),
        ...(tickets === undefined ? {} : { tickets: tickets.length }),
      },
      ...(pods === undefined ? {} : usage(pods, names)),
      ...(tickets === undefined ? {} : { tickets }),
    },
  }
}

/** What the pods on each node request, and which of them are of DaemonSets. */
function usage(pods: readonly PodObject[], names: readonly string[]): Record<string, unknown> {
  const used = new Map(names.map((name) => [name, new Sum()]))
  const daemons = new Map(names.map((name) => [name, new Sum()]))
  const sets = new Map<string, { key: object; nodes: string[] }>()
  for (const pod of pods) {
    const place = (pod.spec as PodSpec | undefined)?.nodeName
    const requests = place === undefined || !used.has(place) ? undefined : usedByPod(pod)
    if (place === undefined || requests === undefined) continue
    used.get(place)?.add(requests)
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
    if (owner?.kind !== 'DaemonSet') continue
    daemons.get(place)?.add(requests)
    const own = new Sum().add(requests)
    const key = { namespace: pod.metadata.namespace, name: owner.name, requests: own.written() }
    const text = JSON.stringify(key)
    const set = sets.get(text)
    if (set === undefined) sets.set(text, { key, nodes: [place] })
    else set.nodes.push(place)
  }
  return {
    nodes: names.map((name) => ({
      name,
      used: used.get(name)?.writtenWithPods(),
      daemons: daemons.get(name)?.writtenWithPods(),
    })),
    daemonSets: [...sets]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { key, nodes }]) => ({ ...key, nodes: nodes.sort() })),
  }
}

/** Requests of pods, each rounded up as the scheduler counts it. */
class Sum {
  #pods = 0n
  readonly #units = new Map<string, bigint>()

  add(requests: Readonly<Record<string, Quantity>>): this {
    this.#pods++
    for (const [name, quantity] of Object.entries(requests)) {
      this.#units.set(name, units(name, quantity) + (this.#units.get(name) ?? 0n))
    }
    return this
  }

  written(): Record<string, string> {
    return Object.fromEntries(
      [...this.#units]
        .filter(([, amount]) => amount > 0n)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, amount]) => [
          name,
          (name === 'cpu' ? Quantity.ofMilli(amount) : Quantity.of(amount, formatOf(name))).toString(),
        ]),
    )
  }

  writtenWithPods(): Record<string, string> {
    return { ...this.written(), pods: String(this.#pods) }
  }
}

/** Bytes are written in powers of two. */
function formatOf(name: string): Quantity['format'] {
  return name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-') ? 'BinarySI' : 'DecimalSI'
}
