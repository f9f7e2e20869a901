import type { Hole } from '../../core/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { Region, regionOfNodeSelector, regionOfPod, unlessMalformed } from '../../kube/index.ts'
import type { Group } from './group.ts'
import type { Placement } from './placement.ts'

/**
 * The nodes that match the nodeSelector and terms of a group. Undefined where it has a label value that the API server
 * would not accept, which `illegalValues` reports.
 */
export function regionOfGroup({ nodeSelector, terms }: Pick<Group, 'nodeSelector' | 'terms'>): Region | undefined {
  return unlessMalformed(() => {
    const selected = regionOfPod({ nodeSelector })
    return terms === undefined ? selected : selected.and(regionOfNodeSelector({ nodeSelectorTerms: [...terms] }))
  })
}

/** The union of the regions of several groups. */
export function regionOfGroups(groups: readonly Group[]): Region {
  return Region.union(groups.flatMap((group) => regionOfGroup(group) ?? []))
}

/** Subtraction stops at this many alternatives; coverage of such a policy is not proved. */
const MOST_REGIONS = 4096

/**
 * The regions that a policy leaves without an agent on purpose: nodes without the label where it has no default group,
 * nodes with new label values where it has no remainder, and with ranges nodes whose label value is not an integer.
 */
export function holesOf(settings: SizingSettings, groups: readonly Group[]): Hole[] {
  const explicit = regionOfGroups(groups.filter(({ kind }) => kind === 'explicit'))
  const known = regionOfGroups(groups.filter(({ kind }) => kind !== 'default' && kind !== 'remainder'))
  const expressions = (operator: 'Exists' | 'DoesNotExist') => settings.groupLabels.map((key) => ({ key, operator }))
  const unlabelled = expressions('DoesNotExist').map((expression) => ({ matchExpressions: [expression] }))
  const labelled = [{ matchExpressions: expressions('Exists') }]
  const hole = (nodeSelectorTerms: typeof labelled, taken: Region): Region =>
    regionOfNodeSelector({ nodeSelectorTerms }).minus(taken, MOST_REGIONS) ?? Region.nowhere
  const unseen = settings.rangeBounds === undefined ? newValueHoles(settings) : notIntegerHoles(settings)
  return [
    ...(settings.defaultNodeGroup === ''
      ? [{ region: hole(unlabelled, explicit), why: 'no default group', mayHoldNodes: true }]
      : []),
    ...unseen.map(({ taken, why }) => ({ region: hole(labelled, known.or(taken)), why, mayHoldNodes: false })),
  ]
}

interface LabelledHole {
  /** What is not part of the hole, besides the groups of today. */
  readonly taken: Region
  readonly why: string
}

function newValueHoles({ remainder }: SizingSettings): LabelledHole[] {
  return remainder ? [] : [{ taken: Region.nowhere, why: 'remainder: false' }]
}

/** Values that are not integers. An integer in no range would be an error, not a hole. */
function notIntegerHoles({ groupLabels: [key = ''] }: SizingSettings): LabelledHole[] {
  const nodeSelectorTerms = (['Lt', 'Gt'] as const).map((operator) => ({
    matchExpressions: [{ key, operator, values: [operator === 'Lt' ? '1' : '0'] }],
  }))
  return [{ taken: regionOfNodeSelector({ nodeSelectorTerms }), why: `no range for a ${key} that is not an integer` }]
}

/**
 * The groups that a node can match, and those that none can because template, policy and group contradict each other.
 */
export function withoutImpossible(
  all: readonly Group[],
  placement: Placement,
): { groups: readonly Group[]; impossible: readonly Group[] } {
  const allowed = regionOfPod(placement)
  const impossible = new Set(all.filter((group) => regionOfGroup(group)?.meets(allowed) === false))
  return { groups: all.filter((group) => !impossible.has(group)), impossible: [...impossible] }
}
