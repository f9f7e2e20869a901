import { indexBy } from '../core/index.ts'
import { lastingTaint, servedNodes } from '../core/object/index.ts'
import type { LiveNode, Nodes, Shape } from '../facts/inventory/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { daemonTolerations, type PodSpec, type Taint, untoleratedTaint } from '../kube/index.ts'
import { taintText } from '../kube/taint.ts'
import type { AgentStop, Change, PlannedChanges } from './change.ts'

/** A DaemonSet before and after the run; a side is undefined where it runs no pods. */
export interface Runner {
  /** Undefined for the template itself. */
  readonly change?: Change
  readonly by: PlannedChanges
  readonly object: KubernetesObject
  readonly before?: PodSpec
  readonly after?: PodSpec
  /** How its pods are replaced; undefined where they are not. */
  readonly restart?: 'oneStart' | 'surge' | 'onDelete'
  /** The sync waves of Argo CD in which it gives up nodes, and in which its pods start. */
  readonly waves?: { readonly release: number; readonly start: number }
}

/** Why and how long nodes are without their agent. */
export type StopKind = Pick<AgentStop, 'cause' | 'length' | 'reason' | 'isShown'>

/** Whether a DaemonSet has a pod on a node; undefined where no snapshot shows it. */
export type RunningAgents = (node: string, object: KubernetesObject) => boolean | undefined

/** Looks up in the nodes of a WorkloadSnapshot which DaemonSets run where; undefined without a snapshot. */
export function runningAgents(nodes: readonly LiveNode[] | undefined): RunningAgents | undefined {
  if (nodes === undefined) return undefined
  const byName = indexBy(nodes, ({ name }) => name)
  return (node, { metadata: { name, namespace = '' } }) => {
    const [known] = byName.get(node) ?? []
    return known?.daemonPods.some(
      (pod) => pod.name === name && (pod.namespace === namespace || pod.namespace === '' || namespace === ''),
    )
  }
}

/** Nodes of one shape with the DaemonSets whose pods run there today, and those that select them after the run. */
export interface Lot extends Nodes {
  readonly holders: readonly Runner[]
  readonly next: readonly Runner[]
  /** Whether a pod of any holder is known to run: one may start, or a WorkloadSnapshot shows it. */
  readonly isShown: boolean
}

/** Divides the nodes of a shape by the DaemonSets that serve them before and after the run. */
export function lotsOf(shape: Shape, runners: readonly Runner[], running: RunningAgents | undefined): Lot[] {
  if (shape.nodeCount === 0 || runners.length === 0) return []
  const served = runners.map(({ before, after }) => {
    const was = servedBy(before, shape)
    return [was, after === before ? was : servedBy(after, shape)] as const
  })
  const lotOf = (nodes: Nodes, serves: (places: Places) => boolean, name?: string): Lot => {
    const isShown = ({ object }: Runner) => (name === undefined ? undefined : running?.(name, object))
    const holders = runners.filter((one, index) => serves(served[index]?.[0]) && isShown(one) !== false)
    return {
      ...nodes,
      holders,
      next: runners.filter((_, index) => serves(served[index]?.[1])),
      isShown: holders.some((one) => isShown(one) ?? (one.before !== undefined && mayStart(one.before, shape))),
    }
  }
  const { nodes, nodeCount } = shape
  const isAlike = running === undefined && !served.flat().some((places) => places instanceof Set)
  if (isAlike) return [lotOf({ nodes, nodeCount }, (places) => places === 'all')]
  const byName = nodes.map((name) =>
    lotOf({ nodes: [name], nodeCount: 1 }, (places) => places === 'all' || places?.has(name) === true, name),
  )
  const unnamed = nodeCount - nodes.length
  return [...byName, ...(unnamed === 0 ? [] : [lotOf({ nodes: [], nodeCount: unnamed }, (places) => places === 'all')])]
}

/** Whether a new pod may start on nodes of a shape; taints of a temporary node state do not count. */
export function mayStart(pod: PodSpec, shape: Shape): boolean {
  return lastingTaint(shape, daemonTolerations(pod), 'NoSchedule') === undefined
}

/** All nodes of a shape, or some by name; undefined for none. */
type Places = 'all' | ReadonlySet<string> | undefined

function servedBy(pod: PodSpec | undefined, shape: Shape): Places {
  const nodes = pod === undefined ? [] : servedNodes(pod, shape)
  if (nodes === 'all') return nodes
  return nodes.length === 0 ? undefined : new Set(nodes)
}

/**
 * Returns what the run does to the agents of a lot, with the DaemonSet that takes the nodes over, or that loses them
 * where none does; undefined where there is no agent, or it stays.
 */
export function stopOf({ holders, next, isShown }: Lot, shape: Shape): { runner: Runner; kind: StopKind } | undefined {
  const [holder] = holders
  if (holder === undefined || holders.some((one) => next.includes(one) && one.restart === undefined)) return undefined
  const taker = next.find(({ after }) => after !== undefined && closureOf(after, shape) === undefined) ?? next[0]
  if (taker?.after === undefined) {
    const reason = 'no DaemonSet selects them any more'
    return { runner: holder, kind: { cause: 'removal', length: 'forGood', reason, isShown } }
  }
  const isRestart = holders.includes(taker)
  const cause = isRestart ? 'restart' : holders.some(({ change }) => change !== undefined) ? 'move' : 'adoption'
  const replaced = isRestart ? (taker.restart ?? 'oneStart') : waitOf(holders, taker)
  // nobody deletes the pod yet
  if (replaced === 'onDelete') return { runner: taker, kind: { cause, length: replaced, isShown } }
  return { runner: taker, kind: { cause, isShown, ...(closureOf(taker.after, shape) ?? { length: replaced }) } }
}

/**
 * Returns how long nodes wait for another DaemonSet: for its sync wave, where all that hold them stop before it; not at
 * all, where one of these stops only after the wave is healthy.
 */
function waitOf(holders: readonly Runner[], { waves: next }: Runner): 'laterWave' | 'oneStart' | 'surge' {
  const last = Math.max(...holders.map(({ waves }) => waves?.release ?? 0))
  if (next === undefined || last === next.start) return 'oneStart'
  return last < next.start ? 'laterWave' : 'surge'
}

/** The taint that Kubernetes puts on a node that is not ready, which an inventory may leave out. */
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/**
 * Returns how long no new pod starts on nodes of a shape, and why: a NoSchedule taint that the pod does not tolerate;
 * one of a node that is not ready goes when it is. Undefined where a pod starts at once.
 */
function closureOf(pod: PodSpec, shape: Shape): Pick<StopKind, 'length' | 'reason'> | undefined {
  const tolerations = daemonTolerations(pod)
  const taint = lastingTaint(shape, tolerations, 'NoSchedule')
  if (taint !== undefined) return { length: 'forGood', reason: `the taint ${taintText(taint)} keeps new pods away` }
  const isReady = shape.ready === undefined || shape.ready === 'True'
  const taints = [...shape.taints, ...(isReady ? [] : [NOT_READY])]
  return untoleratedTaint(taints, tolerations, ['NoSchedule']) === undefined ? undefined : { length: 'untilReady' }
}
