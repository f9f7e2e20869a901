import type { Finding } from '../krm/finding/index.ts'
import { parseInt64 } from '../kube/int64.ts'
import { invalidValue, refusedValue } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'
import type { SizingSettings } from './settings.ts'

type Spec = SizingPolicy['spec']

/** Checks that the grouping fields do not exclude each other, and the bounds of ranges. */
export function checkGrouping(settings: SizingSettings, spec: Spec): Finding[] {
  const { subject, groupLabels, groupLabelPath } = settings
  const repeated = groupLabels.find((label, index) => groupLabels.indexOf(label) !== index)
  return [
    ...exclusiveFields(settings, spec),
    ...(repeated === undefined ? [] : [refusedValue(subject, groupLabelPath, repeated, 'is listed twice')]),
    ...(spec.classes !== undefined && groupLabels.length > 1
      ? [
          refusedValue(
            subject,
            'spec.classes',
            JSON.stringify(spec.classes),
            'cannot be set together with several nodeGroupLabels',
          ),
        ]
      : []),
    ...checkBounds(settings),
    ...checkGroupsInRanges(settings),
  ]
}

function exclusiveFields({ subject }: SizingSettings, spec: Spec): Finding[] {
  const [label, labels, ranges, classes] = ['nodeGroupLabel', 'nodeGroupLabels', 'nodeGroupRanges', 'classes'] as const
  const pairs = [
    [label, labels],
    [label, ranges],
    [labels, ranges],
    [classes, ranges],
  ] as const
  return pairs
    .filter((pair) => pair.every((name) => spec[name] !== undefined))
    .map(([name, other]) => {
      const value = spec[name]
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return refusedValue(subject, `spec.${name}`, text, `cannot be set together with ${other}`)
    })
}

function checkBounds({ subject, rangeBounds = [] }: SizingSettings): Finding[] {
  const at = rangeBounds.findIndex((bound, index) => bound <= (rangeBounds[index - 1] ?? 0n))
  if (at < 0) return []
  return [
    invalidValue(
      subject,
      `spec.nodeGroupRanges.bounds.${at}`,
      String(rangeBounds[at]),
      'greater than the bound before it',
    ),
  ]
}

/**
 * Refuses an explicit group for an integer of the range label: the range contains it, and could exclude it only by a
 * `NotIn` beside `Gt` and `Lt`.
 */
function checkGroupsInRanges({ subject, rangeBounds, groupLabels, explicitGroups }: SizingSettings): Finding[] {
  const [label = ''] = groupLabels
  if (rangeBounds === undefined) return []
  return explicitGroups.flatMap(({ nodeSelector }, index) => {
    const value = Object.hasOwn(nodeSelector, label) ? nodeSelector[label] : undefined
    if (value === undefined || parseInt64(value) === undefined) return []
    const problem = 'is in a range of nodeGroupRanges: make it a range of its own by two bounds, or use another label'
    return [refusedValue(subject, `spec.groups.${index}.nodeSelector.${label}`, value, problem)]
  })
}
