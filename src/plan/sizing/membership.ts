import { memoOf, once } from '../../core/index.ts'
import { lastingTaint } from '../../core/object/index.ts'
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
} from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { daemonTolerations, matchesNode, type Taint, type Toleration } from '../../kube/index.ts'
import { taintText } from '../../kube/taint.ts'
import { type Placement, selectsByName } from './placement.ts'

/** The nodes of one shape that belong to a policy. */
export interface Member extends Nodes {
  readonly shape: Shape
  /** Whether the shape has no nodes yet. */
  readonly declared: boolean
  /** Whether a new pod may start there; running pods stay either way. */
  readonly mayStart: boolean
  /** The taint that keeps new pods away, as `key=value:effect`. */
  readonly closedBy?: string
}

/** Nodes without an agent, for one reason. */
export interface Without extends Nodes {
  readonly reason: string
  /** Whether the nodes are in a group: no new pod starts there, but running pods stay. */
  readonly mayStay: boolean
}

/**
 * The nodes of a policy: selector and required affinity match, and the pods tolerate every NoExecute taint, with the
 * tolerations that the DaemonSet controller adds. Taints of a node that starts, Ready and unschedulable do not matter.
 * `without` has all other nodes, and those of the policy where no new pod starts.
 */
export function membersOf(shapes: readonly Shape[], placement: Placement): { members: Member[]; without: Without[] } {
  const members: Member[] = []
  const closed = new Map<string, Nodes[]>()
  const tolerations = daemonTolerations({ tolerations: [...placement.tolerations], hostNetwork: placement.hostNetwork })
  const { open, names, nodeCount, without } = toleratedShapes(shapes, tolerations, placement.startupTaints ?? [])
  const near = shapesThatMayMatch(open, placement.nodeSelector)
  for (const shape of near) {
    const nodes = matchingNodes(shape, placement)
    if (nodes === undefined) continue
    const blocking = lastingTaint(shape, tolerations, 'NoSchedule')
    const closedBy = blocking && taintText(blocking)
    members.push({ shape, ...nodes, declared: isDeclared(shape), mayStart: closedBy === undefined, closedBy })
    if (closedBy !== undefined) collect(closed, `the taint ${closedBy} is not tolerated`, nodes)
  }
  // a policy for few of many shapes shares the sorted list of all nodes with other policies
  const elsewhere =
    near.length * 2 < open.length
      ? nodesExcept(names(), new Set(members.flatMap(({ nodes }) => nodes)), nodeCount - nodeCountOf(members))
      : sortedNodes(restOf(open, members))
  const missed = [withoutOf('nodeSelector or affinity does not match', elsewhere, false), ...without]
  return { members, without: [...sortedByReason(missed), ...withoutByReason(closed, true)] }
}

/** The nodes of each shape that are not members. */
function restOf(shapes: readonly Shape[], members: readonly Member[]): Nodes[] {
  const ofShape = new Map(members.map((member) => [member.shape, member]))
  return shapes.flatMap((shape) => {
    const member = ofShape.get(shape)
    const nodeCount = shape.nodeCount - (member?.nodeCount ?? 0)
    if (nodeCount === 0) return []
    const kept = new Set(member?.nodes)
    return [{ nodes: shape.nodes.filter((name) => !kept.has(name)), nodeCount }]
  })
}

/** The shapes where pods with some tolerations may run, and the nodes without an agent because of taints. */
interface ToleratedShapes {
  readonly open: readonly Shape[]
  /** The sorted node names of the open shapes. */
  names(): readonly string[]
  readonly nodeCount: number
  readonly without: readonly Without[]
}

/** Many policies have equal tolerations: the result for the shapes of a fleet is computed once. */
const cache = memoOf((_: readonly Shape[]) => new Map<string, ToleratedShapes>())

function toleratedShapes(
  shapes: readonly Shape[],
  tolerations: Toleration[],
  startup: readonly StartupTaint[],
): ToleratedShapes {
  const text = [...tolerations, ...startup]
    .flatMap(({ key, operator, value, effect }: Toleration) => [key, operator, value, effect])
    // a value that is not a string must not equal the string with its text
    .map((part: unknown) => (typeof part === 'string' ? JSON.stringify(part) : String(part)))
    .join()
  const found = cache(shapes).get(text) ?? findToleratedShapes(shapes, tolerations, startup)
  cache(shapes).set(text, found)
  return found
}

function findToleratedShapes(
  shapes: readonly Shape[],
  tolerations: Toleration[],
  startup: readonly StartupTaint[],
): ToleratedShapes {
  const passes = (taint: Taint) => startup.some((one) => isStartupTaint(taint, one))
  const evicted = new Map<string, Nodes[]>()
  const open = shapes.filter((shape) => {
    const lasting = shape.taints.some(passes) ? { ...shape, taints: shape.taints.filter((one) => !passes(one)) } : shape
    const evicting = lastingTaint(lasting, tolerations, 'NoExecute')
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

type StartupTaint = SizingSettings['startupTaints'][number]

/** Whether a taint is one that passes; `*` at the end of a key stands for any characters. */
function isStartupTaint(taint: Taint, { key, effect }: StartupTaint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false
  // a Node that somebody wrote may have anything there
  const text: unknown = taint.key
  return typeof text === 'string' && (key.endsWith('*') ? text.startsWith(key.slice(0, -1)) : text === key)
}

function collect(found: Map<string, Nodes[]>, reason: string, nodes: Nodes): void {
  const collected = found.get(reason)
  if (collected === undefined) found.set(reason, [nodes])
  else collected.push(nodes)
}

function withoutByReason(found: ReadonlyMap<string, readonly Nodes[]>, mayStay: boolean): Without[] {
  return sortedByReason([...found].map(([reason, lots]) => withoutOf(reason, sortedNodes(lots), mayStay)))
}

/** Node names are merged only when they are read. */
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

function sortedByReason(all: readonly Without[]): Without[] {
  return all.filter(({ nodeCount }) => nodeCount > 0).sort((a, b) => (a.reason < b.reason ? -1 : 1))
}

/** The nodes of a shape that match a placement; undefined for none, an empty list for a declared shape that matches. */
function matchingNodes(shape: Shape, placement: Placement): Nodes | undefined {
  const { labels, nodes, nodeCount } = shape
  if (!selectsByName(placement) || nodes.length === 0)
    return matchesNode({ name: '', labels }, placement) ? { nodes, nodeCount } : undefined
  const matching = nodes.filter((name) => matchesNode({ name, labels }, placement))
  return matching.length > 0 ? { nodes: matching, nodeCount: matching.length } : undefined
}
