import { plural } from '../finding/index.ts'
import type { Fleet } from '../inventory/index.ts'
import { LOCAL_CONFIG } from '../krm/annotation.ts'
import { KubeError, type PodSpec, podRequests, Quantity, withDefaultRequests } from '../kube/index.ts'
import { clusterShapes, countServedNodes, isReadablePodSpec, podSpecOf } from '../object/index.ts'
import type { PlannedChanges } from './change.ts'

/** What the pods on some nodes request mergeNodes. */
export interface Total {
  readonly cpu: Quantity
  readonly memory: Quantity
  readonly pods: number
}

/** The requests of a subject's pods on today's nodes, as they are rendered and, where that is known, as they were. */
export interface Totals {
  readonly before?: Total
  readonly after: Total
}

/**
 * What the agents of today's nodes request by what is rendered, and by what was: the earlier output, or the template
 * where it is still applied itself. Undefined for what serves no nodes as a DaemonSet does.
 */
export function totalsOf(planned: PlannedChanges, fleets: readonly Fleet[]): Totals | undefined {
  const { changes, constraints, objects, earlier, nodeCount, source, cluster } = planned
  if (constraints === undefined) return undefined
  const after = sumOf(objects.map(({ object, nodeCount: count }) => [podSpecOf(object), count]))
  if (after === undefined) return undefined
  if (changes.every(({ kind }) => kind === 'unchanged')) return { before: after, after }
  if (earlier.length === 0) {
    const isApplied = source?.object.kind === 'DaemonSet' && !isKeptBack(source.object.metadata.annotations)
    return { before: isApplied ? sumOf([[constraints.pod, nodeCount]]) : undefined, after }
  }
  const shapes = clusterShapes(fleets, cluster)
  const pods = earlier.map(({ object }) => podSpecOf(object))
  return {
    before: pods.every(isReadablePodSpec) ? sumOf(pods.map((pod) => [pod, countServedNodes(pod, shapes)])) : undefined,
    after,
  }
}

function isKeptBack(annotations: Readonly<Record<string, string>> | null | undefined): boolean {
  return annotations?.[LOCAL_CONFIG] === 'true'
}

const NOTHING = Quantity.of(0n, 'DecimalSI')

/**
 * A missing request counts as the limit that Kubernetes takes for it; undefined where a user made an object unreadable.
 */
function sumOf(pods: ReadonlyArray<readonly [PodSpec, number]>): Total | undefined {
  let cpu = Quantity.of(0n, 'DecimalSI')
  let memory = Quantity.of(0n, 'BinarySI')
  let count = 0
  if (!pods.every(([pod]) => isReadablePodSpec(pod))) return undefined
  try {
    for (const [pod, times] of pods) {
      const requests = podRequests(withDefaultRequests(pod))
      cpu = cpu.plus((requests.cpu ?? NOTHING).times(BigInt(times)))
      memory = memory.plus((requests.memory ?? NOTHING).times(BigInt(times)))
      count += times
    }
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
  return { cpu, memory, pods: count }
}

/**
 * The totals for a summary: what is requested, and what was where that is known and different. `closed` of the pods are
 * on nodes where none would start anew: whether they are there a file cannot say.
 */
export function totalsText({ before, after }: Totals, closed = 0): string {
  const { cpu, memory, pods } = after
  const change = (was: string | undefined, is: string) => (was === undefined || was === is ? is : `${was} -> ${is}`)
  const cores = change(before && coresText(before.cpu), coresText(cpu))
  const gibibytes = change(before && gibibytesText(before.memory), gibibytesText(memory))
  const count = before === undefined || before.pods === pods ? plural(pods, 'pod') : `${before.pods} -> ${pods} pods`
  return `requesting ${cores} cores and ${gibibytes} GiB on ${count}${closed === 0 ? '' : `, ${closed} of them only if they run already`}`
}

const GIB = 1n << 30n
const NANO = 1_000_000_000n

/** An amount of cpu in cores. */
export function coresText(cpu: Quantity): string {
  return hundredths(cpu, 1n)
}

/** An amount of memory in GiB. */
export function gibibytesText(memory: Quantity): string {
  return hundredths(memory, GIB)
}

/**
 * An amount in whole units and hundredths, a half rounded up; digits behind the point that say nothing are left out.
 */
function hundredths(amount: Quantity, unit: bigint): string {
  const count = (amount.nanoValue() * 200n + NANO * unit) / (NANO * unit * 2n)
  const [whole, rest] = [count / 100n, count % 100n]
  return rest === 0n ? `${whole}` : `${whole}.${`${rest}`.padStart(2, '0').replace(/0$/, '')}`
}
