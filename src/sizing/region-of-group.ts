import { KubeError, Region, regionOfNodeSelector, regionOfPod } from '../kube/index.ts'
import type { Group } from './group.ts'

/**
 * The nodes that a group asks for by itself, wherever its policy's pods may be. Undefined where an inventory has given it a
 * label value that the API server would not take: that is said where groups are named.
 */
export function regionOfGroup({ nodeSelector, terms }: Pick<Group, 'nodeSelector' | 'terms'>): Region | undefined {
  try {
    const selected = regionOfPod({ nodeSelector })
    return terms === undefined ? selected : selected.and(regionOfNodeSelector({ nodeSelectorTerms: [...terms] }))
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

/** The nodes of several groups. */
export function regionOfGroups(groups: readonly Group[]): Region {
  return Region.union(groups.flatMap((group) => regionOfGroup(group) ?? []))
}
