import { KubeError, Region, regionOfNodeSelector, regionOfPod } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import type { Hole } from '../world/index.ts'
import type { Group } from './group.ts'
import type { Placement } from './placement.ts'

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

/** More alternatives than that are not subtracted: such a policy is not proved anyway. */
const MOST_REGIONS = 4096

/**
 * The nodes that a policy leaves without on purpose: those without the label where there is no default group, and those with
 * label values that nobody has seen where there is no remainder; of ranges, those whose value is no integer.
 */
export function holesOf(settings: SizingSettings, groups: readonly Group[]): Hole[] {
  const explicit = regionOfGroups(groups.filter(({ kind }) => kind === 'explicit'))
  const known = regionOfGroups(groups.filter(({ kind }) => kind !== 'default' && kind !== 'remainder'))
  const expressions = (operator: 'Exists' | 'DoesNotExist') => settings.groupLabels.map((key) => ({ key, operator }))
  const unlabelled = expressions('DoesNotExist').map((one) => ({ matchExpressions: [one] }))
  const labelled = [{ matchExpressions: expressions('Exists') }]
  const hole = (nodeSelectorTerms: typeof labelled, taken: Region): Region =>
    regionOfNodeSelector({ nodeSelectorTerms }).minus(taken, MOST_REGIONS) ?? Region.nowhere
  const unseen = settings.rangeBounds === undefined ? unseenOf(settings) : integersOf(settings)
  return [
    ...(settings.defaultNodeGroup === ''
      ? [{ region: hole(unlabelled, explicit), why: 'no default group', mayHoldNodes: true }]
      : []),
    ...unseen.map(({ taken, why }) => ({ region: hole(labelled, known.or(taken)), why, mayHoldNodes: false })),
  ]
}

interface Unseen {
  /** What is no hole by this, beside the groups of today. */
  readonly taken: Region
  readonly why: string
}

function unseenOf({ remainder }: SizingSettings): Unseen[] {
  return remainder ? [] : [{ taken: Region.nowhere, why: 'remainder: false' }]
}

/** A value that is an integer and in no range is a fault; any other is a hole. */
function integersOf({ groupLabels: [key = ''] }: SizingSettings): Unseen[] {
  const nodeSelectorTerms = (['Lt', 'Gt'] as const).map((operator) => ({
    matchExpressions: [{ key, operator, values: [operator === 'Lt' ? '1' : '0'] }],
  }))
  return [{ taken: regionOfNodeSelector({ nodeSelectorTerms }), why: `no range for a ${key} that is not an integer` }]
}

/** A group that no node can match is not rendered: template, policy and group contradict each other. */
export function withoutImpossible(
  all: readonly Group[],
  placement: Placement,
): { groups: readonly Group[]; impossible: readonly Group[] } {
  const where = regionOfPod(placement)
  const impossible = new Set(all.filter((group) => regionOfGroup(group)?.meets(where) === false))
  return { groups: all.filter((group) => !impossible.has(group)), impossible: [...impossible] }
}
