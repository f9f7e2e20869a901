import { indexBy, memoOf, once } from '../../../core/index.ts'
import { type Shape, shapesThatMayMatch } from '../../../facts/inventory/index.ts'
import {
  daemonTolerations,
  isDns1123Subdomain,
  matchesNode,
  type PodSpec,
  unlessMalformed,
  untoleratedTaint,
} from '../../../kube/index.ts'
import { taintText } from '../../../kube/taint.ts'

/** The rules that exclude a node, in the order of evaluation. */
export const RULES = ['Ready', 'cordoned', 'nodeName', 'nodeSelector', 'affinity', 'taint'] as const
export type Rule = (typeof RULES)[number]

/** Why a node is not eligible. */
export interface Ineligible {
  readonly rule: Rule
  readonly reason: string
}

type NodeState = Pick<Shape, 'labels' | 'taints' | 'ready' | 'unschedulable'>

/**
 * Returns why a node gets no Ticket; undefined if it is eligible. A node is eligible if it is Ready and not cordoned,
 * matches the nodeName, nodeSelector and required node affinity of the template, and has no NoSchedule or NoExecute
 * taint that is not tolerated. Unlike for DaemonSets, the tolerations that the DaemonSet controller adds do not count
 * (research: korder section 5).
 */
export function ineligible(name: string, node: NodeState, pod: PodSpec): Ineligible | undefined {
  const why = stateOf(node) ?? misplaced(name, node, pod)
  if (why !== undefined) return why
  const taint = untoleratedTaint([...node.taints], pod.tolerations ?? [], ['NoSchedule', 'NoExecute'])
  return taint === undefined ? undefined : { rule: 'taint', reason: `the taint ${taintText(taint)} is not tolerated` }
}

/** Returns why the state of a node excludes it from every Order; undefined if it is Ready and not cordoned. */
export function stateOf({ ready, unschedulable }: Pick<NodeState, 'ready' | 'unschedulable'>): Ineligible | undefined {
  if (ready !== 'True') {
    const reason = ready === undefined ? 'it has no Ready condition' : `its Ready condition is ${ready}`
    return { rule: 'Ready', reason }
  }
  return unschedulable ? { rule: 'cordoned', reason: 'it is cordoned' } : undefined
}

/**
 * Returns why a node does not match the nodeName or nodeSelector of a template; undefined if the template sets neither.
 */
export function elsewhere({ nodeName, nodeSelector }: PodSpec): Ineligible | undefined {
  if (nodeName) return { rule: 'nodeName', reason: `the template names the node ${nodeName}` }
  const labels = nodeSelector ?? {}
  if (Object.keys(labels).length === 0) return undefined
  return { rule: 'nodeSelector', reason: `nodeSelector ${selectorText(labels)} does not match` }
}

/**
 * Whether an existing Ticket may stay although its node is not eligible. As with pods of a DaemonSet, it is removed
 * only if the node no longer matches or evicts it; and also if the node is cordoned, since a guardian pod that korder
 * creates again would block the drain.
 */
export function mayStay(name: string, node: NodeState, pod: PodSpec): boolean {
  if (node.unschedulable || misplaced(name, node, pod) !== undefined) return false
  const tolerations = daemonTolerations({ tolerations: pod.tolerations ?? [] })
  return untoleratedTaint([...node.taints], tolerations, ['NoExecute']) === undefined
}

function misplaced(name: string, { labels }: NodeState, pod: PodSpec): Ineligible | undefined {
  if (pod.nodeName && pod.nodeName !== name) return elsewhere(pod)
  const nodeSelector = pod.nodeSelector ?? {}
  if (!matches(name, labels, { nodeSelector })) return elsewhere({ nodeSelector })
  if (!matches(name, labels, { affinity: pod.affinity }))
    return { rule: 'affinity', reason: 'required node affinity does not match' }
  return undefined
}

/** Whether a node matches the placement of a pod; a malformed requirement matches no node, as in the scheduler. */
function matches(name: string, labels: Record<string, string>, pod: PodSpec): boolean {
  return unlessMalformed(() => matchesNode({ name, labels }, pod)) ?? false
}

/** Formats labels as `key=value`, with commas. */
export function selectorText(selector: Record<string, string>): string {
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

/** A node of a fleet. */
export interface FleetNode {
  readonly name: string
  readonly shape: Shape
  /** Why its state excludes it from every Order; undefined if it does not. */
  readonly state?: Ineligible
}

/**
 * The nodes of a fleet, indexed once for all Orders, so that values shared by many nodes are not computed for each
 * Order.
 */
export interface FleetNodes {
  /** Names that Kubernetes does not allow. */
  readonly badNames: readonly string[]
  /** The nodes by `stateKey`, with the reason why their state excludes them. */
  readonly byState: ReadonlyMap<string, { readonly state?: Ineligible; readonly names: readonly string[] }>
  /**
   * Returns nodes, in name order, that include all eligible nodes of a pod; and why the other nodes in good state are
   * not eligible.
   */
  near(pod: PodSpec): { readonly nodes: readonly FleetNode[]; readonly others?: Ineligible }
}

/** Returns a key that is the same for all nodes with the same state. */
export function stateKey({ state }: FleetNode): string {
  return state?.reason ?? ''
}

/** Returns the nodes of these shapes. */
export const nodesOf = memoOf((shapes: readonly Shape[]): FleetNodes => {
  const all: FleetNode[] = shapes
    .flatMap((shape) => {
      const state = stateOf(shape)
      return shape.nodes.map((name) => ({ name, shape, state }))
    })
    .sort(byName)
  const ofName = once(() => indexBy(all, ({ name }) => name))
  const ofShape = once(() => indexBy(all, ({ shape }) => shape))
  const states = [...indexBy(all, stateKey)]
  return {
    badNames: all.map(({ name }) => name).filter((name) => !isDns1123Subdomain(name)),
    byState: new Map(
      states.map(([key, nodes]) => [key, { state: nodes[0]?.state, names: nodes.map(({ name }) => name) }]),
    ),
    near: (pod) => {
      const others = elsewhere(pod)
      if (pod.nodeName) return { nodes: ofName().get(pod.nodeName) ?? [], others }
      const few = shapesThatMayMatch(shapes, pod.nodeSelector ?? {})
      if (few === shapes) return { nodes: all, others }
      return { nodes: few.flatMap((shape) => ofShape().get(shape) ?? []).sort(byName), others }
    },
  }
})

function byName(left: FleetNode, right: FleetNode): number {
  return left.name < right.name ? -1 : 1
}
