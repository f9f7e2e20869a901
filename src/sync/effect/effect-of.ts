import { ownTaints, type Projection } from '../nodes/index.ts'
import type { Effect } from './evaluation.ts'
import { INVENTORY, type Owned } from './owned-folder.ts'
import { comparable, type Rendered } from './rendered.ts'

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
  if (next.change !== undefined && next.change.write.size + next.change.remove.length > 0) return 'rendered'
  if (isFirst) return 'inventory'
  // the output folder is as it should be
  if (next.change !== undefined) return undefined
  const earlier = before()
  return earlier.kind === 'rendered' && comparable(earlier.manifests) === comparable(next.manifests)
    ? undefined
    : 'inventory'
}

/** Whether there are other kinds of node than Git has; how the nodes of a kind do, and how many they are, does not count. */
function hasOtherKinds({ owned, projection }: Compared): boolean {
  return kindsOf(projection.shapes) !== kindsOf(owned.known.shapes)
}

function kindsOf(shapes: Projection['shapes']): string {
  const kinds = shapes.map((shape) => {
    const { labels, osImage, capacity, allocatable } = shape
    const sorted = [labels, capacity, allocatable].map((map) => Object.entries(map).sort())
    return JSON.stringify([sorted, ownTaints(shape), osImage])
  })
  return [...new Set(kinds)].sort().join('\n')
}
