import type { Shape } from '../../inventory/index.ts'
import { daemonTolerations, KubeError, matchesNode, type PodSpec, untoleratedTaint } from '../../kube/index.ts'
import { taintText } from '../../kube/taint.ts'

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
 * Why a node gets no Ticket; undefined for an eligible one. Eligible is: Ready is True, not cordoned, the template's nodeName,
 * nodeSelector and required node affinity match, and every NoSchedule and NoExecute taint is tolerated, by Kubernetes' own
 * rules and without what the DaemonSet controller adds (research: korder section 5).
 */
export function ineligible(name: string, node: NodeState, pod: PodSpec): Ineligible | undefined {
  if (node.ready !== 'True') {
    const reason = node.ready === undefined ? 'it has no Ready condition' : `its Ready condition is ${node.ready}`
    return { rule: 'Ready', reason }
  }
  if (node.unschedulable) return { rule: 'cordoned', reason: 'it is cordoned' }
  const elsewhere = misplaced(name, node, pod)
  if (elsewhere !== undefined) return elsewhere
  const taint = untoleratedTaint([...node.taints], pod.tolerations ?? [], ['NoSchedule', 'NoExecute'])
  return taint === undefined ? undefined : { rule: 'taint', reason: `the taint ${taintText(taint)} is not tolerated` }
}

/**
 * Whether a Ticket that is there may stay although its node is not eligible: as with a DaemonSet's pods, only a node that no
 * longer matches or evicts removes it; a cordon does, too, since a guardian that comes back would defeat the drain.
 */
export function mayStay(name: string, node: NodeState, pod: PodSpec): boolean {
  if (node.unschedulable || misplaced(name, node, pod) !== undefined) return false
  const tolerations = daemonTolerations({ tolerations: pod.tolerations ?? [] })
  return untoleratedTaint([...node.taints], tolerations, ['NoExecute']) === undefined
}

function misplaced(name: string, { labels }: NodeState, pod: PodSpec): Ineligible | undefined {
  if (pod.nodeName && pod.nodeName !== name)
    return { rule: 'nodeName', reason: `the template names the node ${pod.nodeName}` }
  const nodeSelector = pod.nodeSelector ?? {}
  if (!matches(name, labels, { nodeSelector }))
    return { rule: 'nodeSelector', reason: `nodeSelector ${selectorText(nodeSelector)} does not match` }
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
