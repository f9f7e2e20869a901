import { indexBy, memoOf, type NodesLine, nodesLine, once } from '../../../core/index.ts'
import {
  firstNames,
  type Nodes,
  namedNodes,
  nodesExcept,
  type Shape,
  shapesThatMayMatch,
  sortedNodes,
} from '../../../facts/inventory/index.ts'
import { listNames } from '../../../krm/finding.ts'
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
function stateOf({ ready, unschedulable }: Pick<NodeState, 'ready' | 'unschedulable'>): Ineligible | undefined {
  if (ready !== 'True') {
    const reason = ready === undefined ? 'it has no Ready condition' : `its Ready condition is ${ready}`
    return { rule: 'Ready', reason }
  }
  return unschedulable ? { rule: 'cordoned', reason: 'it is cordoned' } : undefined
}

/**
 * Returns why a node does not match the nodeName or nodeSelector of a template; undefined if the template sets neither.
 */
function elsewhere({ nodeName, nodeSelector }: PodSpec): Ineligible | undefined {
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
interface FleetNode {
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
function stateKey({ state }: FleetNode): string {
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

/** A node that was checked for an Order; `why` is set if it gets no Ticket. */
export interface Judged extends FleetNode {
  readonly why?: Ineligible
}

/** Nodes that one rule excludes for one reason. */
export interface LeftOut extends Ineligible {
  readonly nodes: Nodes
}

/** Words for nodes without a reservation. They also apply while the window of the Order is closed. */
export const LEFT_OUT = 'left out'

/**
 * Returns the nodes that get no Ticket: those of `near` with a reason, and all other nodes in good state for the reason
 * `others`. If each of many Orders selects a few nodes, these are nearly all nodes every time, so names are collected
 * only on request.
 */
export function leftOut({ byState }: FleetNodes, near: readonly Judged[], others: Ineligible | undefined): LeftOut[] {
  const nearby = indexBy(near, stateKey)
  const shared = [...byState].flatMap(([key, { state, names }]): LeftOut[] => {
    const why = state ?? others
    if (why === undefined) return []
    const gone = nearby.get(key)?.filter((node) => !isSame(node.why, why))
    return [{ ...why, nodes: nodesExcept(names, new Set(gone?.map(({ name }) => name))) }]
  })
  const apart = near.filter(({ state, why }) => state === undefined && !isSame(why, others))
  const byReason = [...indexBy(apart, ({ why }) => why && `${why.rule} ${why.reason}`).values()].flatMap(
    (nodes): LeftOut[] => {
      const why = nodes[0]?.why
      return why === undefined ? [] : [{ ...why, nodes: namedNodes(nodes.map(({ name }) => name)) }]
    },
  )
  return [...shared, ...byReason]
    .filter(({ nodes }) => nodes.nodeCount > 0)
    .sort((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1))
}

function firstOf({ nodes }: LeftOut): string {
  return firstNames(nodes)[0] ?? ''
}

/** Returns one account line for each rule that excludes nodes, across all Orders. */
export function leftLines(left: readonly LeftOut[]): NodesLine[] {
  return RULES.flatMap((rule) => {
    const byRule = left.filter((one) => one.rule === rule)
    if (byRule.length === 0) return []
    const reason = listNames([...new Set(byRule.map((one) => one.reason))])
    const line = { code: 'NodesNotEligible', words: `${LEFT_OUT} by ${rule}`, reason } as const
    return [nodesLine(line, sortedNodes(byRule.map(({ nodes }) => nodes)))]
  })
}

function isSame(one: Ineligible | undefined, other: Ineligible | undefined): boolean {
  return one?.rule === other?.rule && one?.reason === other?.reason
}
