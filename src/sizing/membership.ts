import { isDeclared, type Nodes, type Shape, together } from '../inventory/index.ts'
import { daemonTolerations, matchesNode, type Taint, type Toleration, untoleratedTaint } from '../kube/index.ts'
import { taintText } from '../kube/taint.ts'
import { choosesByName, type Placement } from './placement.ts'

/** Nodes of one shape that a policy is about. */
export interface Member extends Nodes {
  readonly shape: Shape
  /** A shape without nodes: a type that may come. */
  readonly declared: boolean
  /** Whether a new pod may start there; if not, one that runs may still stay. */
  readonly mayStart: boolean
  /** The taint that keeps new pods away, as `key=value:effect`. */
  readonly closedBy?: string
}

/** Nodes without an agent, for one reason. */
export interface Without extends Nodes {
  readonly reason: string
  /** Whether the nodes are in a group all the same: no new pod starts there, but one that runs may stay. */
  readonly mayStay: boolean
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
  const missed = new Map<string, Nodes[]>()
  const closed = new Map<string, Nodes[]>()
  const tolerations = daemonTolerations({ tolerations: [...placement.tolerations], hostNetwork: placement.hostNetwork })
  for (const shape of shapes) {
    const evicting = lastingTaint(shape, tolerations, 'NoExecute')
    if (evicting !== undefined) {
      collect(missed, `the taint ${taintText(evicting)} is not tolerated`, shape)
      continue
    }
    const own = matching(shape, placement)
    if (own === undefined || own.nodeCount < shape.nodeCount)
      collect(missed, 'nodeSelector or affinity does not match', rest(shape, own))
    if (own === undefined) continue
    const blocking = lastingTaint(shape, tolerations, 'NoSchedule')
    const closedBy = blocking && taintText(blocking)
    members.push({ shape, ...own, declared: isDeclared(shape), mayStart: closedBy === undefined, closedBy })
    if (closedBy !== undefined) collect(closed, `the taint ${closedBy} is not tolerated`, own)
  }
  return { members, without: [...reasonsOf(missed, false), ...reasonsOf(closed, true)] }
}

/** The first taint of a shape's kind, and not of the state its nodes are in, that is not tolerated. */
export function lastingTaint(
  shape: Shape,
  tolerations: Toleration[],
  effect: 'NoExecute' | 'NoSchedule',
): Taint | undefined {
  const taints = shape.taints.filter(({ key }) => !STATE_TAINTS.has(key))
  return untoleratedTaint(taints, tolerations, [effect])
}

function collect(found: Map<string, Nodes[]>, reason: string, nodes: Nodes): void {
  const own = found.get(reason)
  if (own === undefined) found.set(reason, [nodes])
  else own.push(nodes)
}

function reasonsOf(found: ReadonlyMap<string, Nodes[]>, mayStay: boolean): Without[] {
  return [...found]
    .map(([reason, lots]) => ({ reason, ...together(lots), mayStay }))
    .filter(({ nodeCount }) => nodeCount > 0)
    .sort((a, b) => (a.reason < b.reason ? -1 : 1))
    .map((one) => ({ ...one, nodes: [...one.nodes].sort() }))
}

/** The shape's nodes that the placement admits; undefined for none, an empty list for a declared shape it admits. */
function matching(shape: Shape, placement: Placement): Nodes | undefined {
  const { labels, nodes, nodeCount } = shape
  if (!choosesByName(placement) || nodes.length === 0)
    return matchesNode({ name: '', labels }, placement) ? { nodes, nodeCount } : undefined
  const own = nodes.filter((name) => matchesNode({ name, labels }, placement))
  return own.length > 0 ? { nodes: own, nodeCount: own.length } : undefined
}

function rest({ nodes, nodeCount }: Shape, own: Nodes | undefined): Nodes {
  const kept = new Set(own?.nodes)
  return { nodes: nodes.filter((name) => !kept.has(name)), nodeCount: nodeCount - (own?.nodeCount ?? 0) }
}
