import type { WorkloadSnapshot } from '../../kinds/index.ts'
import type { Read, Subject } from '../../krm/finding/index.ts'
import type { ResourceQuantities } from '../../kube/index.ts'
import { amountFindings, duplicateFindings, timeFindings, timeOf } from './live-checks.ts'
import { summedPods } from './node-sums.ts'

/** What runs on a node, and what a pool needs of it beside its inventory. */
export interface LiveNode {
  readonly name: string
  readonly uid?: string
  /** The name of the NodeSmithClaim of its machine. */
  readonly claim?: string
  /** The name of its Cluster API Machine. */
  readonly machine?: string
  /** Undefined if it is not Ready, or that is unknown. */
  readonly readySince?: Date
  /** The first snapshot in which no pod blocked its removal; undefined while one does, or if that is unknown. */
  readonly idleSince?: Date
  /** How many pods block its removal; undefined if that is unknown. */
  readonly blocking?: number
  readonly isDeleting: boolean
  /** The annotations of nodefit, and those that keep a node from removal. */
  readonly annotations: Readonly<Record<string, string>>
  /** The requests of its pods, and their number. Undefined if the snapshot does not record it. */
  readonly used?: ResourceQuantities
  /** The part of `used` that DaemonSet pods request. Undefined if that is unknown. */
  readonly daemons?: ResourceQuantities
  /** Its pods that belong to DaemonSets. */
  readonly daemonPods: readonly DaemonPod[]
}

/** A pod of a DaemonSet. */
export interface DaemonPod {
  readonly namespace: string
  readonly name: string
  readonly requests: ResourceQuantities
}

type Places = Pick<NonNullable<WorkloadSnapshot['spec']['daemonSets']>[number], 'nodes' | 'nodesExcept'>

const TIMES = ['readySince', 'idleSince'] as const

/** Returns the nodes with a pod of a DaemonSet, of the nodes of the snapshot. */
function placesOf({ nodes, nodesExcept }: Places, names: Iterable<string>): readonly string[] {
  if (nodesExcept === undefined) return nodes ?? []
  const without = new Set(nodesExcept)
  return [...(nodes ?? []), ...[...names].filter((name) => !without.has(name))]
}

/** Reads the nodes of a snapshot; without a value the snapshot does not record them. */
export function readLiveNodes(subject: Subject, spec: WorkloadSnapshot['spec']): Read<LiveNode[]> {
  const { nodes, daemonSets = [] } = spec
  if (nodes === undefined) return { findings: [] }
  const malformed = [
    ...nodes.flatMap((node, index) => [
      ...amountFindings(subject, node.used, `spec.nodes.${index}.used`),
      ...amountFindings(subject, node.daemons, `spec.nodes.${index}.daemons`),
      ...timeFindings(subject, node, TIMES, `spec.nodes.${index}`),
    ]),
    ...daemonSets.flatMap((one, index) => amountFindings(subject, one.requests, `spec.daemonSets.${index}.requests`)),
    ...duplicateFindings(
      subject,
      'nodes',
      nodes.map(({ name }) => name),
    ),
  ]
  if (malformed.length > 0) return { findings: malformed }
  const pods = new Map<string, DaemonPod[]>(nodes.map(({ name }) => [name, []]))
  for (const { namespace = '', name, requests, ...places } of daemonSets) {
    const pod = { namespace, name, requests: requests ?? {} }
    for (const place of placesOf(places, pods.keys())) pods.get(place)?.push(pod)
  }
  const sumOf = sumsOfPods()
  const value = nodes.map(({ used, daemons, readySince, idleSince, deleting, annotations, ...node }) => ({
    ...node,
    readySince: timeOf(readySince),
    idleSince: timeOf(idleSince),
    isDeleting: deleting === true,
    annotations: annotations ?? {},
    used: used ?? undefined,
    daemons: daemons ?? (spec.daemonSets && sumOf(pods.get(node.name) ?? [])),
    daemonPods: pods.get(node.name) ?? [],
  }))
  return { value, findings: [] }
}

/** Returns a function that sums the requests of a node's pods, once for each combination: most nodes have the same. */
function sumsOfPods(): (pods: readonly DaemonPod[]) => ResourceQuantities {
  const ids = new Map<DaemonPod, number>()
  const sums = new Map<string, ResourceQuantities>()
  return (pods) => {
    for (const pod of pods) if (!ids.has(pod)) ids.set(pod, ids.size)
    const key = pods.map((pod) => ids.get(pod)).join()
    const sum = sums.get(key) ?? summedPods(pods.map(({ requests }) => requests))
    sums.set(key, sum)
    return sum
  }
}
