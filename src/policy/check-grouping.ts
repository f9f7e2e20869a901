import type { Finding } from '../finding/index.ts'
import { parseInt64 } from '../kube/int64.ts'
import { invalidValue } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'
import type { SizingSettings } from './settings.ts'

type Spec = SizingPolicy['spec']

/** Checks that the grouping fields do not exclude each other, and the bounds of ranges. */
export function checkGrouping(settings: SizingSettings, spec: Spec): Finding[] {
  const { subject, groupLabels, groupLabelPath } = settings
  const repeated = groupLabels.find((label, index) => groupLabels.indexOf(label) !== index)
  return [
    ...besideEachOther(settings, spec),
    ...(repeated === undefined ? [] : [invalidValue(subject, groupLabelPath, repeated, 'to be given twice')]),
    ...(spec.classes !== undefined && groupLabels.length > 1
      ? [
          invalidValue(
            subject,
            'spec.classes',
            JSON.stringify(spec.classes),
            'to be given with several nodeGroupLabels',
          ),
        ]
      : []),
    ...checkBounds(settings),
    ...checkCutRanges(settings),
  ]
}

function besideEachOther({ subject }: SizingSettings, spec: Spec): Finding[] {
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
      return invalidValue(subject, `spec.${name}`, text, `to be given beside ${other}`)
    })
}

function checkBounds({ subject, rangeBounds = [] }: SizingSettings): Finding[] {
  const at = rangeBounds.findIndex((bound, index) => bound <= (rangeBounds[index - 1] ?? 0n))
  if (at < 0) return []
  return [
    invalidValue(subject, `spec.nodeGroupRanges.bounds.${at}`, String(rangeBounds[at]), 'above the bound before it'),
  ]
}

/**
 * Refuses an explicit group for an integer of the range label: the range contains it, and could exclude it only by a
 * `NotIn` beside `Gt` and `Lt`.
 */
function checkCutRanges({ subject, rangeBounds, groupLabels, explicitGroups }: SizingSettings): Finding[] {
  const [label = ''] = groupLabels
  if (rangeBounds === undefined) return []
  return explicitGroups.flatMap(({ nodeSelector }, index) => {
    const value = Object.hasOwn(nodeSelector, label) ? nodeSelector[label] : undefined
    if (value === undefined || parseInt64(value) === undefined) return []
    const wanted = 'possible beside nodeGroupRanges of that label: make it a range by two bounds, or use another label'
    return [invalidValue(subject, `spec.groups.${index}.nodeSelector.${label}`, value, wanted)]
  })
}
