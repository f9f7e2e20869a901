import { isReadablePodSpec, podSpecOf } from '../../core/object/index.ts'
import { printable } from '../../face/index.ts'
import { scanDaemonSets } from '../../face/scan/index.ts'
import { type PodObject, podProblem } from '../../facts/inventory/index.ts'
import { daemonKey, isAnswerByNode, type NodeUsage, readUsageByNode } from '../../facts/usage/index.ts'
import { plural } from '../../krm/finding.ts'
import { newItem } from '../../krm/item.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Node } from '../../kube/index.ts'
import { lastingReason } from '../../plan/daemonset/index.ts'
import {
  type Carrier,
  carriersOf,
  type DayAgent,
  type DayContainer,
  type DayOne,
  dayOne,
  lookAt,
  MACHINE_LABELS,
  type Proposal,
} from '../../plan/sizing/index.ts'
import type { ClusterObjects } from '../cluster/read-cluster.ts'
import { answerIn } from '../files/answer-in.ts'
import { readObjects } from '../files/read-objects.ts'
import { say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'

/** What a cluster has, of files or of its API. */
export interface Cluster {
  /** The context that it was read by; undefined of files. */
  readonly context?: string
  readonly nodes: readonly Item[]
  readonly daemonSets: readonly KubernetesObject[]
  /** Undefined where they are not known. */
  readonly pods?: readonly PodObject[]
  readonly metrics: readonly KubernetesObject[]
  /** What Prometheus says of containers on each node. */
  readonly days: readonly NodeUsage[]
}

const KINDS = ['Node', 'DaemonSet', 'Pod', 'PodMetrics']

/**
 * Reads files of kubectl, and answers of Prometheus. Throws `UserError` for other kinds, for a pod that cannot be read,
 * and for an answer that says nothing of nodes.
 */
export function clusterIn(files: readonly string[]): Cluster {
  const days: NodeUsage[] = []
  const objects = files.filter((file) => {
    const answer = answerIn(file)
    if (answer === undefined) return true
    if (!isAnswerByNode(answer))
      throw new UserError(
        `${file}: the answer of Prometheus does not tell nodes: ask /api/v1/query with the query by node of docs/daemonset/init.md`,
      )
    const read = readUsageByNode(answer)
    if (typeof read === 'string') throw new UserError(`${file}: ${read}`)
    if (read.young > 0)
      say(`nodefit: ${plural(read.young, 'container')} of ${file} seen for less than seven days: left out\n`)
    days.push(...read.usage)
    return false
  })
  const items = objects.length === 0 ? [] : readObjects(objects)
  const other = items.find(({ object }) => !KINDS.includes(object.kind))?.object
  if (other !== undefined)
    throw new UserError(`${other.kind} ${other.metadata.name} is not one of ${KINDS.join(', ')}: leave it out`)
  const ofKind = (kind: string) => items.filter(({ object }) => object.kind === kind)
  const objectsOf = (kind: string) => ofKind(kind).map(({ object }) => object)
  const pods = objectsOf('Pod') as unknown as PodObject[]
  for (const pod of pods) {
    const problem = podProblem(pod)
    if (problem !== undefined) throw new UserError(`Pod ${pod.metadata.name} cannot be read: ${problem}`)
  }
  const known = pods.length === 0 ? {} : { pods }
  const ofOtherApi = objectsOf('DaemonSet').find(({ apiVersion }) => apiVersion !== 'apps/v1')
  if (ofOtherApi !== undefined)
    throw new UserError(
      `DaemonSet ${ofOtherApi.metadata.name} is of apiVersion ${ofOtherApi.apiVersion}; apps/v1 is needed. Leave it out of the input: kubectl get daemonsets.apps -A -o json lists the others`,
    )
  return { nodes: ofKind('Node'), daemonSets: objectsOf('DaemonSet'), ...known, metrics: objectsOf('PodMetrics'), days }
}

/** Returns what the API of a cluster gave, and says what it did not give. */
export function clusterOf({ nodes, daemonSets, pods, metrics, context, leftOut }: ClusterObjects): Cluster {
  for (const sentence of leftOut) say(`nodefit: ${printable(sentence)}\n`)
  const objects = (all: readonly object[]) => all as readonly KubernetesObject[]
  return {
    nodes: objects(nodes).map((object) => newItem(object)),
    daemonSets: objects(daemonSets),
    ...(pods === undefined ? {} : { pods: pods as unknown as PodObject[] }),
    metrics: objects(metrics),
    days: [],
    ...(context && { context }),
  }
}

/** What the first look says of one agent. */
export interface AgentLook {
  readonly proposal: Proposal
  readonly carrier: Carrier
  /** The steps at which classes begin, for all agents. */
  readonly cuts: readonly number[]
  readonly agent: DayAgent
  readonly containers: readonly DayContainer[]
  /** What it lacks, where it lacks something. */
  readonly starved?: string | undefined
  /** How many nodes it runs on. */
  readonly nodeCount: number
  /** The index of a node in `carrier.axis`. */
  readonly indexOf: ReadonlyMap<string, number>
  /** When the newest sample was taken; undefined where nothing says it. */
  readonly takenAt?: string
}

/** The first look at all agents of a cluster. */
export interface FirstLook {
  of(daemonSet: KubernetesObject): AgentLook | undefined
  readonly day: DayOne
  readonly carrier: Carrier
  /** The index of a node in the orders of the look. */
  readonly indexOf: ReadonlyMap<string, number>
}

/**
 * Judges all agents of a cluster at once. `starved` says what an agent lacks. DaemonSets that nodefit renders and those
 * that cannot be read are left out.
 */
export function firstLook(
  { nodes, daemonSets, pods, metrics, days }: Cluster,
  starved: (daemonSet: KubernetesObject) => string | undefined = () => undefined,
): FirstLook {
  const objects = nodes.map(({ object }) => object as unknown as Node)
  refuseUnknown(days, objects)
  const looked = lookAt({ nodes: objects, ...(pods && { pods }), metrics, days })
  const agents = daemonSets.flatMap((daemonSet) => {
    const pod = podSpecOf(daemonSet)
    if (!isReadablePodSpec(pod) || ownerOf(daemonSet) !== undefined) return []
    const leave = leaveOf(daemonSet)
    return [{ daemonSet, judged: { ...looked.agent(daemonSet, pod), leave, starved: starved(daemonSet) } }]
  })
  const used = new Set(agents.flatMap(({ judged }) => (judged.leave === undefined ? judged.nodes : [])))
  const carriers = carriersOn(objects, looked.sizes, used)
  const judged = agents.map((one) => one.judged)
  const day = dayOne(
    judged,
    looked.sizes,
    carriers.map(({ axis }) => axis),
  )
  const carrier = carriers.find(({ axis }) => axis === day.axis) as Carrier
  const indexOf = new Map(objects.map(({ metadata }, index) => [metadata.name, index]))
  const found = new Map(
    agents.map(({ daemonSet, judged: agent }, at) => [
      daemonKey(daemonSet.metadata.namespace, daemonSet.metadata.name),
      {
        proposal: day.proposals[at] as Proposal,
        carrier,
        cuts: day.cuts,
        agent,
        containers: agent.containers,
        starved: agent.starved,
        nodeCount: agent.nodes.length,
        indexOf,
        ...(looked.takenAt !== undefined && { takenAt: looked.takenAt }),
      } satisfies AgentLook,
    ]),
  )
  return {
    day,
    carrier,
    indexOf,
    of: (daemonSet) => found.get(daemonKey(daemonSet.metadata.namespace, daemonSet.metadata.name)),
  }
}

/** Refuses days of other nodes than those that are given: their names tell which, as `kube_pod_info` has them. */
function refuseUnknown(days: readonly NodeUsage[], nodes: readonly Node[]): void {
  const names = new Set(nodes.map(({ metadata }) => metadata.name))
  const [one] = days
  if (one === undefined || days.some(({ node }) => names.has(node))) return
  throw new UserError(
    `the answer of Prometheus has no node of this cluster, but ${one.node}: its label node is to be the name of the node, as kube_pod_info of kube-state-metrics has it`,
  )
}

/** The carriers of the nodes that agents run on; all nodes have a place in their orders. */
function carriersOn(nodes: readonly Node[], sizes: ReturnType<typeof lookAt>['sizes'], used: ReadonlySet<number>) {
  const all = nodes.map(({ metadata }, index) => ({
    labels: metadata.labels ?? {},
    cpu: sizes[index]?.cpu ?? 0,
    memory: sizes[index]?.memory ?? 0,
  }))
  return carriersOf(all, used.size === 0 ? undefined : (index) => used.has(index))
}

/** Why a DaemonSet is better left alone whatever it uses; undefined of one that a policy may size. */
export function leaveOf(daemonSet: KubernetesObject): string | undefined {
  const pod = podSpecOf(daemonSet)
  return isReadablePodSpec(pod) ? lastingReason(daemonSet, pod)?.why.replace(/^leave it: /, '') : undefined
}

/** Whether anything is known of what some pod uses. */
export function isMeasured({ metrics, days }: Cluster): boolean {
  return metrics.length > 0 || days.length > 0
}

/** Returns what says that a DaemonSet of the cluster lacks something: killed, at a limit, or without room. */
export function starvedIn({ nodes, daemonSets, pods, metrics }: Cluster) {
  const objects = nodes.map(({ object }) => object as unknown as Node)
  const rows = scanDaemonSets({ nodes: objects, daemonSets, ...(pods && { pods }), metrics })
  const found = new Map(
    rows.flatMap(({ namespace, name, verdict, why }) =>
      verdict === 'starved' ? [[daemonKey(namespace, name), why]] : [],
    ),
  )
  return (daemonSet: KubernetesObject): string | undefined =>
    found.get(daemonKey(daemonSet.metadata.namespace, daemonSet.metadata.name))
}

/** The labels of machines that some nodes have: a forecast that lacks them would group otherwise. */
export function machineLabelsOf(nodes: readonly Item[]): string[] {
  return MACHINE_LABELS.map(([, label]) => label).filter((label) =>
    nodes.some(({ object }) => Object.hasOwn(object.metadata.labels ?? {}, label)),
  )
}
