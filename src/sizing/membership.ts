import {
  firstNames,
  isDeclared,
  mergeNodes,
  type Nodes,
  nodeCountOf,
  nodesExcept,
  type Shape,
  shapesThatMayMatch,
  sortedNodes,
} from '../inventory/index.ts'
import { daemonTolerations, matchesNode, type Taint, type Toleration, untoleratedTaint } from '../kube/index.ts'
import { taintText } from '../kube/taint.ts'
import { memoOf, once } from '../world/index.ts'
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
  const closed = new Map<string, Nodes[]>()
  const tolerations = daemonTolerations({ tolerations: [...placement.tolerations], hostNetwork: placement.hostNetwork })
  const { open, names, nodeCount, without } = standing(shapes, tolerations)
  const near = shapesThatMayMatch(open, placement.nodeSelector)
  for (const shape of near) {
    const own = matching(shape, placement)
    if (own === undefined) continue
    const blocking = lastingTaint(shape, tolerations, 'NoSchedule')
    const closedBy = blocking && taintText(blocking)
    members.push({ shape, ...own, declared: isDeclared(shape), mayStart: closedBy === undefined, closedBy })
    if (closedBy !== undefined) collect(closed, `the taint ${closedBy} is not tolerated`, own)
  }
  // where a policy is for a small part of many shapes, what all of them have in common is put in order once for all policies
  const elsewhere =
    near.length * 2 < open.length
      ? nodesExcept(names(), new Set(members.flatMap(({ nodes }) => nodes)), nodeCount - nodeCountOf(members))
      : sortedNodes(restOf(open, members))
  const missed = [withoutOf('nodeSelector or affinity does not match', elsewhere, false), ...without]
  return { members, without: [...inOrderOfReasons(missed), ...withoutByReason(closed, true)] }
}

/** Of each shape the nodes that are no members. */
function restOf(shapes: readonly Shape[], members: readonly Member[]): Nodes[] {
  const ofShape = new Map(members.map((member) => [member.shape, member]))
  return shapes.flatMap((shape) => {
    const own = ofShape.get(shape)
    const nodeCount = shape.nodeCount - (own?.nodeCount ?? 0)
    if (nodeCount === 0) return []
    const kept = new Set(own?.nodes)
    return [{ nodes: shape.nodes.filter((name) => !kept.has(name)), nodeCount }]
  })
}

/** The shapes on which pods with some tolerations may stay, wherever else they may be, and who is without for its taints. */
interface Standing {
  readonly open: readonly Shape[]
  /** Of the open shapes, sorted. */
  names(): readonly string[]
  readonly nodeCount: number
  readonly without: readonly Without[]
}

/** Many policies tolerate the same: what that comes to on the shapes of a fleet is worked out once. */
const standings = memoOf((_: readonly Shape[]) => new Map<string, Standing>())

function standing(shapes: readonly Shape[], tolerations: Toleration[]): Standing {
  const text = tolerations
    .flatMap(({ key, operator, value, effect }) => [key, operator, value, effect])
    // what is no text must not pass for text, whatever a user wrote
    .map((part: unknown) => (typeof part === 'string' ? JSON.stringify(part) : String(part)))
    .join()
  const found = standings(shapes).get(text) ?? standingOf(shapes, tolerations)
  standings(shapes).set(text, found)
  return found
}

function standingOf(shapes: readonly Shape[], tolerations: Toleration[]): Standing {
  const evicted = new Map<string, Nodes[]>()
  const open = shapes.filter((shape) => {
    const evicting = lastingTaint(shape, tolerations, 'NoExecute')
    if (evicting !== undefined) collect(evicted, `the taint ${taintText(evicting)} is not tolerated`, shape)
    return evicting === undefined
  })
  return {
    open,
    names: once(() => [...mergeNodes(open).nodes].sort()),
    nodeCount: nodeCountOf(open),
    without: withoutByReason(evicted, false),
  }
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

function withoutByReason(found: ReadonlyMap<string, readonly Nodes[]>, mayStay: boolean): Without[] {
  return inOrderOfReasons([...found].map(([reason, lots]) => withoutOf(reason, sortedNodes(lots), mayStay)))
}

/** The names stay with who has them until somebody asks. */
function withoutOf(reason: string, lot: Nodes, mayStay: boolean): Without {
  return {
    reason,
    first: firstNames(lot),
    nodeCount: lot.nodeCount,
    get nodes() {
      return lot.nodes
    },
    mayStay,
  }
}

function inOrderOfReasons(all: readonly Without[]): Without[] {
  return all.filter(({ nodeCount }) => nodeCount > 0).sort((a, b) => (a.reason < b.reason ? -1 : 1))
}

/** The shape's nodes that the placement admits; undefined for none, an empty list for a declared shape it admits. */
function matching(shape: Shape, placement: Placement): Nodes | undefined {
  const { labels, nodes, nodeCount } = shape
  if (!choosesByName(placement) || nodes.length === 0)
    return matchesNode({ name: '', labels }, placement) ? { nodes, nodeCount } : undefined
  const own = nodes.filter((name) => matchesNode({ name, labels }, placement))
  return own.length > 0 ? { nodes: own, nodeCount: own.length } : undefined
}
