import type { Shape } from '../inventory/index.ts'
import { daemonTolerations, matchesNode, type Taint, untoleratedTaint } from '../kube/index.ts'
import type { Placement } from './placement.ts'
import { requiredTerms } from './terms.ts'

/** Nodes of one shape that a policy is about. */
export interface Member {
  readonly shape: Shape
  readonly nodes: readonly string[]
  /** A shape without nodes: a type that may come. */
  readonly declared: boolean
  /** Whether a new pod may start there; if not, one that runs may still stay. */
  readonly mayStart: boolean
}

/** Nodes without an agent, for one reason. */
export interface Without {
  readonly reason: string
  /** Whether the nodes are in a group all the same: no new pod starts there, but one that runs may stay. */
  readonly mayStay: boolean
  readonly nodes: readonly string[]
}

/** The state of a node, not its kind: these taints come and go, and never decide about membership. */
const STATE_TAINTS = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
])

/**
 * Which nodes a policy is about: those where a pod may stay, since selector and required affinity match and every
 * NoExecute taint is tolerated, with the tolerations the DaemonSet controller adds. Whether a node is ready or
 * cordoned does not matter.
 */
export function membersOf(shapes: readonly Shape[], placement: Placement): { members: Member[]; without: Without[] } {
  const members: Member[] = []
  const missed = new Map<string, string[]>()
  const closed = new Map<string, string[]>()
  const tolerations = daemonTolerations({ tolerations: [...placement.tolerations], hostNetwork: placement.hostNetwork })
  for (const shape of shapes) {
    const taints = shape.taints.filter(({ key }) => !STATE_TAINTS.has(key))
    const evicting = untoleratedTaint(taints, tolerations, ['NoExecute'])
    if (evicting !== undefined) {
      collect(missed, `the taint ${taintText(evicting)} is not tolerated`, shape.nodes)
      continue
    }
    const nodes = matching(shape, placement)
    if (nodes === undefined || nodes.length < shape.nodes.length) {
      const kept = new Set(nodes)
      const rest = shape.nodes.filter((name) => !kept.has(name))
      collect(missed, 'nodeSelector or affinity does not match', rest)
    }
    if (nodes === undefined) continue
    const blocking = untoleratedTaint(taints, tolerations, ['NoSchedule'])
    members.push({ shape, nodes, declared: shape.nodes.length === 0, mayStart: blocking === undefined })
    if (blocking !== undefined) collect(closed, `the taint ${taintText(blocking)} is not tolerated`, nodes)
  }
  return { members, without: [...reasonsOf(missed, false), ...reasonsOf(closed, true)] }
}

function collect(nodes: Map<string, string[]>, reason: string, names: readonly string[]): void {
  const own = nodes.get(reason)
  if (own === undefined) nodes.set(reason, [...names])
  else for (const name of names) own.push(name)
}

function reasonsOf(found: ReadonlyMap<string, string[]>, mayStay: boolean): Without[] {
  return [...found]
    .filter(([, nodes]) => nodes.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, nodes]) => ({ reason, nodes: [...nodes].sort(), mayStay }))
}

/** The shape's nodes that the placement admits; undefined for none, an empty list for a declared shape it admits. */
function matching(shape: Shape, placement: Placement): readonly string[] | undefined {
  const byName = requiredTerms(placement.affinity)?.some(({ matchFields }) => (matchFields?.length ?? 0) > 0) ?? false
  if (!byName || shape.nodes.length === 0)
    return matchesNode({ name: '', labels: shape.labels }, placement) ? shape.nodes : undefined
  const nodes = shape.nodes.filter((name) => matchesNode({ name, labels: shape.labels }, placement))
  return nodes.length > 0 ? nodes : undefined
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`
}
