import type { Shape } from '../../../facts/inventory/index.ts'
import { isTime, timeText } from '../../../kube/index.ts'
import { taintSortKey } from '../../../kube/taint.ts'
import { commonLabels, type KnownNodes, kindTaints, type NodeMemory } from './projected-node.ts'

/** The longest, in milliseconds, that only the memory knows that a kind became empty, or has nodes again. */
const MAX_UNWRITTEN = 24 * 3_600_000
/** The same for a kind that became empty, had nodes again and is empty again: both changes are one commit a day. */
const MAX_UNWRITTEN_RETURN = 2 * MAX_UNWRITTEN

/** The kinds of node that Git has and that have no node now. */
export interface Retained {
  readonly shapes: readonly Shape[]
  /** When one of them is dropped or has to be written next, in milliseconds since 1970. */
  readonly until?: number
  /** Whether Git must be told when one of them became empty, or that one that is empty in Git has nodes again. */
  readonly isOverdue: boolean
}

/**
 * Keeps a kind of node for `retainShapes` milliseconds after its last node, so that its group stays and an agent is
 * ready when the next node comes. Labels and taints make the kind: a cordoned node, or one with a newer image, is of
 * the same kind.
 *
 * A kind that is empty in Git for a day or more and has nodes again is written at once; one that is empty in Git for
 * less than a day is written when the day is over, so that nodes that come and go make few commits. Where the memory is
 * lost meanwhile, a kind is dropped up to a day too early.
 */
export function retainedShapes(
  known: KnownNodes,
  present: readonly Shape[],
  {
    now,
    retainShapes,
    labelKeys,
    memory,
  }: { now: number; retainShapes: number; labelKeys: readonly string[]; memory: NodeMemory },
): Retained {
  const common = commonLabels(known.labelKeys, labelKeys)
  const kindKey = (shape: Shape) => JSON.stringify([Object.entries(common(shape.labels)), taintKeys(shape)])
  const populated = new Set(present.map(kindKey))
  for (const kind of populated) memory.emptySince.delete(kind)
  const empty = new Map<string, Shape>()
  const instants: number[] = []
  let isOverdue = false
  const writeAt = (instant: number) => {
    if (instant <= now) isOverdue = true
    else instants.push(instant)
  }
  const kinds = new Set<string>()
  for (const shape of known.shapes) {
    const kind = kindKey(shape)
    kinds.add(kind)
    const other = empty.get(kind)
    const written = emptySinceInGit(shape)
    if (!populated.has(kind)) {
      if (other === undefined || isBetter(shape, other)) empty.set(kind, shape)
    } else if (written !== undefined) {
      memory.returned.add(kind)
      writeAt(written + MAX_UNWRITTEN)
    }
  }
  for (const kind of memory.returned) if (!kinds.has(kind)) memory.returned.delete(kind)
  const shapes: Shape[] = []
  for (const [kind, shape] of empty) {
    const written = emptySinceInGit(shape)
    const hasReturned = memory.returned.has(kind)
    const seen = memory.emptySince.get(kind) ?? (written === undefined || hasReturned ? now : written)
    const since = Math.max(seen, written ?? seen)
    const end = since + retainShapes
    if (end <= now) continue
    shapes.push(emptyShape(shape, common(shape.labels), since))
    instants.push(end)
    // times in Git are whole seconds
    if (written !== undefined && since < written + 1000) continue
    memory.emptySince.set(kind, since)
    if (written !== undefined) writeAt(written + MAX_UNWRITTEN)
    else writeAt(since + (hasReturned ? MAX_UNWRITTEN_RETURN : MAX_UNWRITTEN))
  }
  return { shapes, until: instants.length === 0 ? undefined : Math.min(...instants), isOverdue }
}

/** The emptySince of a shape in Git, in milliseconds since 1970. */
function emptySinceInGit({ emptySince }: Shape): number | undefined {
  return emptySince !== undefined && isTime(emptySince) ? Date.parse(emptySince) : undefined
}

/** A shape without nodes, which is neither ready nor cordoned. */
function emptyShape({ taints, osImage, capacity, allocatable }: Shape, labels: Shape['labels'], since: number): Shape {
  return {
    labels,
    taints: kindTaints({ taints }),
    unschedulable: false,
    osImage,
    capacity,
    allocatable,
    nodes: [],
    nodeCount: 0,
    emptySince: timeText(since),
  }
}

/** Which of two shapes of a kind is kept: that of ready and uncordoned nodes, then that of more nodes. */
function isBetter(left: Shape, right: Shape): boolean {
  const rank = ({ ready, unschedulable }: Shape) => (ready === 'True' ? 2 : 0) + (unschedulable ? 0 : 1)
  return rank(left) > rank(right) || (rank(left) === rank(right) && left.nodeCount > right.nodeCount)
}

function taintKeys(shape: Shape): string[] {
  return kindTaints(shape).map(taintSortKey).sort()
}
