import type { Shape } from '../../inventory/index.ts'
import { isTime } from '../../kube/index.ts'
import { commonLabels, type Known } from './known.ts'
import type { NodeMemory } from './memory.ts'
import { ownTaints } from './node-state.ts'

/** So long, in milliseconds, nobody but the memory knows since when there is no node of a kind. */
const LONGEST_UNWRITTEN = 24 * 3_600_000

/** The kinds of node that Git knows and of which there is no node now. */
export interface Retained {
  readonly shapes: readonly Shape[]
  /** The next instant at which one of them goes, or has to be written, in milliseconds since 1970. */
  readonly until?: number
  /** Whether Git has to be told since when one of them has no nodes. */
  readonly isOverdue: boolean
}

/**
 * Keeps a kind of node for `retainShapes` milliseconds after its last node, so that its group stays and an agent is ready when the next one
 * comes. A kind is what labels and taints say: a node that is cordoned, or has a newer image, is of the same one.
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
  for (const shape of known.shapes) {
    const kind = kindOf(shape)
    const other = gone.get(kind)
    if (!populated.has(kind) && (other === undefined || isBetter(shape, other))) gone.set(kind, shape)
  }
  const shapes: Shape[] = []
  const instants: number[] = []
  let isOverdue = false
  for (const [kind, shape] of gone) {
    const written =
      shape.emptySince !== undefined && isTime(shape.emptySince) ? Date.parse(shape.emptySince) : undefined
    const since = written ?? memory.emptySince.get(kind) ?? now
    const end = since + retainShapes
    if (end <= now) continue
    shapes.push(emptied(shape, common(shape.labels), since))
    instants.push(end)
    if (written !== undefined) continue
    memory.emptySince.set(kind, since)
    if (since + LONGEST_UNWRITTEN <= now) isOverdue = true
    else instants.push(since + LONGEST_UNWRITTEN)
  }
  return { shapes, until: instants.length === 0 ? undefined : Math.min(...instants), isOverdue }
}

/** What is said of the nodes of a kind that has none: neither are they ready nor cordoned. */
function emptied({ taints, osImage, capacity, allocatable }: Shape, labels: Shape['labels'], since: number): Shape {
  const emptySince = new Date(Math.floor(since / 1000) * 1000).toISOString().replace('.000Z', 'Z')
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
  return ownTaints(shape)
    .map(({ key, value = '', effect }) => `${key}=${value}:${effect}`)
    .sort()
}
