import { NODEFIT_GROUP, type WorkloadSnapshot } from '../../kinds/index.ts'
import type { Read, Subject } from '../../krm/finding.ts'
import { listOf, memberOf } from '../../krm/map.ts'
import { ACTIONS, PROOF } from '../../krm/remembered.ts'
import type { Node, ResourceQuantities } from '../../kube/index.ts'
import {
  amountFindings,
  duplicateFindings,
  filledText,
  present,
  timeFindings,
  timeOf,
  validTime,
} from './live-checks.ts'
import { summedPods } from './node-sums.ts'
import { type SnapshotClaims, unfoldClaims } from './pools.ts'

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

/** A node of a WorkloadSnapshot. */
export type SnapshotNode = NonNullable<WorkloadSnapshot['spec']['nodes']>[number]

/** What pools need of a Node beside its shape. */
export type NodeDetails = Pick<SnapshotNode, 'uid' | 'claim' | 'machine' | 'readySince' | 'deleting' | 'annotations'>

/** The annotations that keep a node from removal. Those of nodefit are exported too. */
const OPT_OUTS = ['cluster-autoscaler.kubernetes.io/scale-down-disabled', 'karpenter.sh/do-not-disrupt']
const CLAIM_LABEL = 'kubenodesmith.io/nodeclaim'
const MACHINE_ANNOTATION = 'cluster.x-k8s.io/machine'
/** The longest value of an annotation that is exported: marks are short. */
const MAX_VALUE = 253
/** The longest list of the actions that hold a node; without it the node would look as if it were given back. */
const MAX_ACTIONS = 8192
/** The longest list of signed actions, by which a node is given back: what all annotations of an object may have. */
const MAX_PROOF = 262_144

/**
 * Returns what pools need of a Node. Fields that are missing or malformed are left out, and so is a claim that has the
 * name of the node.
 */
export function nodeDetails({ metadata, status }: Node): NodeDetails {
  const { name, uid, labels, annotations, deletionTimestamp } = metadata
  const claim = filledText(labels?.[CLAIM_LABEL])
  const ready = listOf(memberOf(status, 'conditions')).find((one) => memberOf(one, 'type') === 'Ready')
  const since = memberOf(ready, 'status') === 'True' ? memberOf(ready, 'lastTransitionTime') : undefined
  const known = Object.entries((annotations ?? {}) as Record<string, unknown>)
    .filter(([key]) => key !== PROOF || memberOf(annotations, ACTIONS) !== undefined)
    .filter(([key, value]) => isKnown(key) && typeof value === 'string' && value.length <= maxLength(key))
    .sort() as Array<[string, string]>
  return present({
    uid: filledText(uid),
    claim: claim === name ? undefined : claim,
    machine: filledText(memberOf(annotations, MACHINE_ANNOTATION)),
    readySince: validTime(since),
    deleting: typeof deletionTimestamp === 'string' ? true : undefined,
    annotations: known.length === 0 ? undefined : Object.fromEntries(known),
  })
}

function maxLength(key: string): number {
  if (key === PROOF) return MAX_PROOF
  return key === ACTIONS ? MAX_ACTIONS : MAX_VALUE
}

function isKnown(key: string): boolean {
  return key.startsWith(NODEFIT_GROUP) || OPT_OUTS.includes(key)
}

/** What the nodes of a snapshot are completed with. */
export interface NodeCompletion {
  readonly details: ReadonlyMap<string, NodeDetails>
  /** How many pods block the removal of a node, by its name; none where it is missing. */
  readonly blocking: ReadonlyMap<string, number>
  /** The nodes of the earlier snapshot, by name. */
  readonly earlier: ReadonlyMap<string, Pick<SnapshotNode, 'uid' | 'idleSince'>>
  /** The time of the snapshot. */
  readonly observedAt?: string
}

/**
 * Completes the nodes of a snapshot with what pools need of them. A node without a blocking pod is idle since the first
 * snapshot that found it so; another node of the same name begins anew.
 */
export function withNodeDetails(nodes: readonly SnapshotNode[], given: NodeCompletion): SnapshotNode[] {
  return nodes.map(({ name, used }) => {
    const details = given.details.get(name) ?? {}
    const blocking = given.blocking.get(name) ?? 0
    const before = given.earlier.get(name)
    const isSame = before?.uid === undefined || details.uid === undefined || before.uid === details.uid
    const idleSince = blocking > 0 ? undefined : ((isSame ? before?.idleSince : undefined) ?? given.observedAt)
    const { uid, claim, machine, readySince, deleting, annotations } = details
    return {
      name,
      ...present({ uid, claim, machine, readySince, idleSince, blocking, deleting, annotations, used }),
    }
  })
}

/**
 * Adds the claim of each node that has no label for it, by the status of the claim. The claim that has the name of the
 * node needs no word.
 */
export function withClaims(nodes: readonly SnapshotNode[], claims: readonly SnapshotClaims[]): SnapshotNode[] {
  const entries = unfoldClaims(claims).map(({ entry }) => entry)
  const byNode = new Map(entries.flatMap(({ name, nodeName }) => (nodeName === undefined ? [] : [[nodeName, name]])))
  return nodes.map(({ name, uid, claim = byNode.get(name), ...node }) => ({
    name,
    ...present({ uid, claim }),
    ...node,
  }))
}
