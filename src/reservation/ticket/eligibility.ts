import { type Shape, shapesThatMayMatch } from '../../inventory/index.ts'
import {
  daemonTolerations,
  isDns1123Subdomain,
  KubeError,
  matchesNode,
  type PodSpec,
  untoleratedTaint,
} from '../../kube/index.ts'
import { taintText } from '../../kube/taint.ts'
import { indexBy, memoOf, once } from '../../world/index.ts'

/** The rules by which a node is left out, in the order they are asked. */
export const RULES = ['Ready', 'cordoned', 'nodeName', 'nodeSelector', 'affinity', 'taint'] as const
export type Rule = (typeof RULES)[number]

/** Why a node is not eligible. */
export interface Ineligible {
  readonly rule: Rule
  readonly reason: string
}

type NodeState = Pick<Shape, 'labels' | 'taints' | 'ready' | 'unschedulable'>

/**
 * Why a node gets no Ticket; undefined for an eligible one. Eligible is: Ready is True, not cordoned, the template's
 * nodeName, nodeSelector and required node affinity match, and every NoSchedule and NoExecute taint is tolerated, by
 * Kubernetes' own rules and without what the DaemonSet controller adds (research: korder section 5).
 */
export function ineligible(name: string, node: NodeState, pod: PodSpec): Ineligible | undefined {
  const why = stateOf(node) ?? misplaced(name, node, pod)
  if (why !== undefined) return why
  const taint = untoleratedTaint([...node.taints], pod.tolerations ?? [], ['NoSchedule', 'NoExecute'])
  return taint === undefined ? undefined : { rule: 'taint', reason: `the taint ${taintText(taint)} is not tolerated` }
}

/** Why a node is not eligible whatever the template says, since of the state it is in. */
export function stateOf({ ready, unschedulable }: Pick<NodeState, 'ready' | 'unschedulable'>): Ineligible | undefined {
  if (ready !== 'True') {
    const reason = ready === undefined ? 'it has no Ready condition' : `its Ready condition is ${ready}`
    return { rule: 'Ready', reason }
  }
  return unschedulable ? { rule: 'cordoned', reason: 'it is cordoned' } : undefined
}

/**
 * What is first said of a node in good state that has not the name, or not all labels, that the template asks for by
 * itself.
 */
export function elsewhere({ nodeName, nodeSelector }: PodSpec): Ineligible | undefined {
  if (nodeName) return { rule: 'nodeName', reason: `the template names the node ${nodeName}` }
  const labels = nodeSelector ?? {}
  if (Object.keys(labels).length === 0) return undefined
  return { rule: 'nodeSelector', reason: `nodeSelector ${selectorText(labels)} does not match` }
}

/**
 * Whether a Ticket that is there may stay although its node is not eligible: as with a DaemonSet's pods, only a node
 * that no longer matches or evicts removes it; a cordon does, too, since a guardian that comes back would defeat the
 * drain.
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

/** A malformed requirement matches nothing, as the scheduler has it. */
function matches(name: string, labels: Record<string, string>, pod: PodSpec): boolean {
  try {
    return matchesNode({ name, labels }, pod)
  } catch (error) {
    if (error instanceof KubeError) return false
    throw error
  }
}

function selectorText(selector: Record<string, string>): string {
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

/** A node of a fleet. */
export interface FleetNode {
  readonly name: string
  readonly shape: Shape
  /** Why no Order gets it, if its state is not good. */
  readonly state?: Ineligible
}

/**
 * The nodes of a fleet, read once for all Orders, so that what many nodes share is not computed for each Order.
 */
export interface FleetNodes {
  /** Names that Kubernetes does not allow. */
  readonly badNames: readonly string[]
  /** By what is wrong with their state. */
  readonly byState: ReadonlyMap<string, { readonly state?: Ineligible; readonly names: readonly string[] }>
  /**
   * In the order of their names those among which every eligible node of a pod is, and why the others are not, if their
   * state is good.
   */
  near(pod: PodSpec): { readonly nodes: readonly FleetNode[]; readonly others?: Ineligible }
}

/** What nodes of one state have in common. */
export function stateKey({ state }: FleetNode): string {
  return state?.reason ?? ''
}

/** The nodes of these shapes. */
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
