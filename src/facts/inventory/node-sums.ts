import { Quantity, type ResourceQuantities, units } from '../../kube/index.ts'

/** The share of equal pods in the sums of their node; many pods may share one. */
export interface PodShare {
  /** The DaemonSet that controls the pods. */
  readonly daemonSet?: { readonly namespace?: string; readonly name: string }
  /** The namespace of pods that no DaemonSet controls. */
  readonly namespace?: string
  /** The requests of each pod in the scheduler's units: cpu in thousandths, others in whole units. */
  readonly requests: ReadonlyArray<readonly [resource: string, amount: bigint]>
}

/** A pod and its node. */
export interface PlacedPod {
  readonly node: string
  readonly share: PodShare
}

interface SetOfPods {
  readonly key: { readonly namespace?: string; readonly name: string; readonly requests: Record<string, string> }
  readonly nodes: string[]
}

/**
 * Sums pods into `nodes`, `daemonSets` and `namespaces` of a WorkloadSnapshot. Pods on nodes that are not listed are
 * left out, save of `namespaces`: a quota counts them wherever they are.
 */
export function nodeSums(pods: Iterable<PlacedPod>, nodes: Iterable<string>) {
  const names = [...nodes].sort()
  const used = new Map(names.map((name) => [name, new Sum()]))
  const ofShare = new Map<PodShare, SetOfPods>()
  const sets = new Map<string, SetOfPods>()
  const others = new Map<string, number>()
  for (const { node, share } of pods) {
    const { namespace: home } = share
    if (home !== undefined) others.set(home, (others.get(home) ?? 0) + 1)
    const sum = used.get(node)
    if (sum === undefined) continue
    sum.add(share)
    if (share.daemonSet === undefined) continue
    let set = ofShare.get(share)
    if (set === undefined) {
      const { namespace, name } = share.daemonSet
      const key = { namespace, name, requests: new Sum().add(share).written() }
      const text = JSON.stringify(key)
      set = sets.get(text) ?? { key, nodes: [] }
      sets.set(text, set)
      ofShare.set(share, set)
    }
    set.nodes.push(node)
  }
  return {
    nodes: names.map((name) => ({ name, used: used.get(name)?.writtenWithPods() })),
    daemonSets: [...sets]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { key, nodes: places }]) => ({ ...key, ...placesText(places.sort(), names) })),
    namespaces: [...others].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => ({ name, pods: count })),
  }
}

/** By how many names the list of nodes without a pod must be shorter to be written instead. */
const LEAST_SAVED = 100

/** Lists the nodes with a pod, or those without one where all others have exactly one and that is much shorter. */
function placesText(places: string[], names: readonly string[]): { nodes: string[] } | { nodesExcept: string[] } {
  const having = new Set(places)
  const isShorter = having.size === places.length && 2 * places.length >= names.length + LEAST_SAVED
  return isShorter ? { nodesExcept: names.filter((name) => !having.has(name)) } : { nodes: places }
}

/** Converts a pod's requests to the scheduler's units, rounded up. */
export function sharedRequests(requests: Readonly<Record<string, Quantity>>): PodShare['requests'] {
  return Object.entries(requests).map(([name, quantity]) => [name, units(name, quantity)] as const)
}

/** Writes amounts in the scheduler's units as quantities, sorted by name, without those of 0. */
export function amountsText(requests: PodShare['requests']): Record<string, string> {
  return new Sum().add({ requests }).written()
}

/** Sums what pods request, one list of amounts each, with their number. The amounts are quantities. */
export function summedPods(pods: ReadonlyArray<ResourceQuantities>): Record<string, string> {
  const sum = new Sum()
  for (const requests of pods) {
    const amounts = Object.entries(requests).map(([name, amount]) => [name, Quantity.parse(amount)] as const)
    sum.add({ requests: sharedRequests(Object.fromEntries(amounts)) })
  }
  return sum.writtenWithPods()
}

/** The sum of pod requests. */
class Sum {
  #pods = 0n
  readonly #units = new Map<string, bigint>()

  add({ requests }: PodShare): this {
    this.#pods++
    for (const [name, amount] of requests) this.#units.set(name, amount + (this.#units.get(name) ?? 0n))
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

/** Returns the format of a resource: powers of two for bytes. */
function formatOf(name: string): Quantity['format'] {
  return name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-') ? 'BinarySI' : 'DecimalSI'
}
