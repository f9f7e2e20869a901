import type { Shape } from '../../inventory/index.ts'
import { ownTaints } from '../nodes/index.ts'

/** What kind of node a shape is of, as text: its labels, amounts and taints; neither how its nodes do nor how many they are. */
export function kindOf(shape: Shape): string {
  const { labels, capacity, allocatable } = shape
  const sorted = [labels, capacity, allocatable].map((map) => Object.entries(map).sort())
  return JSON.stringify([sorted, ownTaints(shape)])
}

/** Texts as one, each once, in order. */
export function asSet(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join('\n')
}
