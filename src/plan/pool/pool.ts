import type { Labels } from '../../kube/index.ts'
import type { Machine } from './machines.ts'
import type { Vector } from './resources.ts'
import type { PoolSettings } from './settings.ts'
import type { Sizes } from './sizes.ts'

/** A pool as a run sees it. */
export interface Pool {
  readonly settings: PoolSettings
  /** Its place in the order in which pools are tried. */
  readonly order: number
  /** The labels of its new nodes. */
  readonly labels: Labels
  /** What agents request on a new node. */
  readonly overhead: Vector
  readonly sizes: Sizes
  readonly machines: readonly Machine[]
  /** Whether later runs see for which pods a machine was opened, so that they place each on its own again. */
  readonly remembersPods: boolean
}

/** Returns the labels of a new node; nothing may take the label of the pool from it. */
export function labelsOf({ architecture, templateLabels, labelKey, name }: PoolSettings): Labels {
  return { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': architecture, ...templateLabels, [labelKey]: name }
}

/** Sorts pools as they are tried: by priority, then by name. */
export function byPriority(left: PoolSettings, right: PoolSettings): number {
  return right.priority - left.priority || (left.name < right.name ? -1 : 1)
}
