import { nodeCountOf } from '../../inventory/index.ts'
import type { Projection } from '../nodes/project.ts'
import { asSet, kindOf } from './digests.ts'
import type { Effect } from './evaluation.ts'
import { INVENTORY, type Owned } from './owned-folder.ts'
import { comparable, type Rendered, uncounted } from './rendered.ts'

/** Git hears of it when fewer than these of its nodes are left, or when it has fewer than these of the nodes. */
const STILL_SAME = 0.75

/** What Git has, and what it is to have. */
export interface Compared {
  readonly owned: Owned
  readonly projection: Projection
  /** What the new files come to. */
  readonly next: Rendered
  /** What Git's come to; rendered when it is asked for. */
  readonly before: () => Rendered
}

/** What makes a commit, if anything does: other output, other manifests, another error, or where nothing is rendered other kinds of node. */
export function effectOf(compared: Compared): Effect | undefined {
  const { owned, next, before } = compared
  const isFirst = !owned.files.has(INVENTORY)
  if (next.kind === 'failed') {
    if (isFirst || hasOtherKinds(compared)) return 'failed'
    const earlier = before()
    return earlier.kind === 'failed' && earlier.key === next.key ? undefined : 'failed'
  }
  if (next.kind === 'nothing') return isFirst || hasOtherKinds(compared) ? 'inventory' : undefined
  if (next.change !== undefined && isOther(next.change)) return 'rendered'
  if (isFirst || hasShrunkOrGrown(compared)) return 'inventory'
  // the output folder is as it should be
  if (next.change !== undefined) return undefined
  const earlier = before()
  return earlier.kind === 'rendered' && comparable(earlier.manifests) === comparable(next.manifests)
    ? undefined
    : 'inventory'
}

/** Whether a folder comes to hold more than other counts of nodes. */
function isOther({ write, remove, held }: NonNullable<Extract<Rendered, { kind: 'rendered' }>['change']>): boolean {
  return remove.length > 0 || [...write].some(([name, text]) => uncounted(held.get(name) ?? '') !== uncounted(text))
}

/**
 * Whether so many nodes have come or gone since Git was written that the guards would count from what is long over: they are told by a
 * commit, step by step, so that half of a fleet that goes at once is still seen as that, also of one that had grown before.
 */
function hasShrunkOrGrown({ owned, projection }: Compared): boolean {
  const nodeCount = nodeCountOf(owned.known.shapes)
  return projection.nodeCount < STILL_SAME * nodeCount || nodeCount < STILL_SAME * projection.nodeCount
}

/** Whether there are other kinds of node than Git has; how the nodes of a kind do, and how many they are, does not count. */
function hasOtherKinds({ owned, projection }: Compared): boolean {
  return kindsOf(projection.shapes) !== kindsOf(owned.known.shapes)
}

function kindsOf(shapes: Projection['shapes']): string {
  return asSet(shapes.map((shape) => `${kindOf(shape)} ${shape.osImage ?? ''}`))
}
