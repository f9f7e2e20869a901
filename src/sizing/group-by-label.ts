import type { Finding } from '../finding/index.ts'
import { isLabelValue } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Draft } from './draft.ts'
import { sanitize } from './name.ts'
import type { Labelled } from './split-by-labels.ts'

const EMPTY = 'empty'

/** A group for each value of the label, or each combination of the labels' values; an empty value is one of its own. */
export function groupsByLabel(
  labelled: readonly Labelled[],
  settings: SizingSettings,
): { groups: Draft[]; findings: Finding[] } {
  return {
    groups: labelled.map((one) => valueGroup(one, settings)),
    findings: labelled.flatMap(({ values }) => illegalValues(values, settings)),
  }
}

/** What is no label value came from a file, and could not be selected by. */
export function illegalValues(values: readonly string[], { subject }: SizingSettings): Finding[] {
  const illegal = values.find((value) => !isLabelValue(value))
  return illegal === undefined ? [] : [finding('NameInvalid', `"${illegal}" is not the value of a label`, { subject })]
}

function valueGroup({ values, members }: Labelled, { groupLabels }: SizingSettings): Draft {
  const nodeSelector = Object.fromEntries(groupLabels.map((label, index) => [label, values[index] ?? '']))
  const text = values.map((value) => (value === '' ? EMPTY : value)).join('-')
  const namePart = sanitize(text)
  const value = values.length === 1 ? values[0] : text
  const aliases = [value || EMPTY, namePart]
  return {
    kind: 'value',
    id: `value:${values.join(',')}`,
    namePart,
    aliases,
    value,
    nodeSelector,
    requirements: [],
    members,
  }
}
