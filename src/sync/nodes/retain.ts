import type { Shape } from '../../inventory/index.ts'
import { isTime, timeText } from '../../kube/index.ts'
import { taintSortKey } from '../../kube/taint.ts'
import { commonLabels, type Known, type NodeMemory } from './known.ts'
import { ownTaints } from './projected-node.ts'

/** So long, in milliseconds, nobody but the memory knows that there is no node of a kind, or that there is one again. */
const LONGEST_UNWRITTEN = 24 * 3_600_000
/** The same for a kind that had been empty before: its two turns make one commit a day. */
const RETURNED_UNWRITTEN = 2 * LONGEST_UNWRITTEN

/** The kinds of node that Git knows and of which there is no node now. */
export interface Retained {
  readonly shapes: readonly Shape[]
  /** The next instant at which one of them goes, or has to be written, in milliseconds since 1970. */
  readonly until?: number
  /** Whether Git has to be told since when one of them has no nodes, or that one that it has as empty has some again. */
  readonly isOverdue: boolean
}

/**
 * Keeps a kind of node for `retainShapes` milliseconds after its last node, so that its group stays and an agent is ready when the next one
 * comes. A kind is what labels and taints say: a node that is cordoned, or has a newer image, is of the same one.
 *
 * A kind that Git has as empty for a day or more, and that has nodes, is told to Git at once; one that it has so for less, when the day is
 * over: nodes that come and go make few commits. So where the memory is lost in between, a kind goes at most that day too early.
 */
export function retain(
  known: Known,
  present: readonly Shape[],
  {
    now,
    retainShapes,
    labelKeys,
    memory,
  }: { now: number; retainShapes: number; labelKeys: readonly string[]; memory: NodeMemory },
): Retained {
  const common = commonLabels(known.labelKeys, labelKeys)
  const kindOf = (shape: Shape) => JSON.stringify([Object.entries(common(shape.labels)), taintsOf(shape)])
  const populated = new Set(present.map(kindOf))
  for (const kind of populated) memory.emptySince.delete(kind)
  const gone = new Map<string, Shape>()
  const instants: number[] = []
  let isOverdue = false
  const tellAt = (instant: number) => {
    if (instant <= now) isOverdue = true
    else instants.push(instant)
  }
  const kinds = new Set<string>()
  for (const shape of known.shapes) {
    const kind = kindOf(shape)
    kinds.add(kind)
    const other = gone.get(kind)
    const written = emptyInGit(shape)
    if (!populated.has(kind)) {
      if (other === undefined || isBetter(shape, other)) gone.set(kind, shape)
    } else if (written !== undefined) {
      memory.returned.add(kind)
      tellAt(written + LONGEST_UNWRITTEN)
    }
  }
  for (const kind of memory.returned) if (!kinds.has(kind)) memory.returned.delete(kind)
  const shapes: Shape[] = []
  for (const [kind, shape] of gone) {
    const written = emptyInGit(shape)
    const hasReturned = memory.returned.has(kind)
    const seen = memory.emptySince.get(kind) ?? (written === undefined || hasReturned ? now : written)
    const since = Math.max(seen, written ?? seen)
    const end = since + retainShapes
    if (end <= now) continue
    shapes.push(emptied(shape, common(shape.labels), since))
    instants.push(end)
    // Git knows whole seconds
    if (written !== undefined && since < written + 1000) continue
    memory.emptySince.set(kind, since)
    if (written !== undefined) tellAt(written + LONGEST_UNWRITTEN)
    else tellAt(since + (hasReturned ? RETURNED_UNWRITTEN : LONGEST_UNWRITTEN))
  }
  return { shapes, until: instants.length === 0 ? undefined : Math.min(...instants), isOverdue }
}

/** Since when there is no node of a shape, by what Git says, in milliseconds since 1970. */
function emptyInGit({ emptySince }: Shape): number | undefined {
  return emptySince !== undefined && isTime(emptySince) ? Date.parse(emptySince) : undefined
}

/** What is said of the nodes of a kind that has none: neither are they ready nor cordoned. */
function emptied({ taints, osImage, capacity, allocatable }: Shape, labels: Shape['labels'], since: number): Shape {
  const emptySince = timeText(since)
  return {
    labels,
    taints: ownTaints({ taints }),
    unschedulable: false,
    osImage,
    capacity,
    allocatable,
    nodes: [],
    nodeCount: 0,
    emptySince,
  }
}

/** Of several shapes of a kind the one that tells most: that of nodes that were well, then that of the most nodes. */
function isBetter(one: Shape, other: Shape): boolean {
  const rank = ({ ready, unschedulable }: Shape) => (ready === 'True' ? 2 : 0) + (unschedulable ? 0 : 1)
  return rank(one) > rank(other) || (rank(one) === rank(other) && one.nodeCount > other.nodeCount)
}

function taintsOf(shape: Shape): string[] {
  return ownTaints(shape).map(taintSortKey).sort()
}
