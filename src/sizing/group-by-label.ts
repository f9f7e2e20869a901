import type { Finding } from '../finding/index.ts'
import { mergeNodes } from '../inventory/index.ts'
import { isLabelValue } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Draft } from './explicit-groups.ts'
import { ownValue } from './group.ts'
import type { Member, Without } from './membership.ts'
import { sanitize } from './name.ts'

/** Members with the same value of each label. */
export interface Labelled {
  readonly values: readonly string[]
  readonly members: readonly Member[]
}

/** Members by the values of labels, in the order of these; and for each label those that lack it and none before it. */
export function splitByLabels(
  members: readonly Member[],
  labels: readonly string[],
): { labelled: Labelled[]; missing: Member[][] } {
  const labelled = new Map<string, { values: string[]; members: Member[] }>()
  const missing = labels.map((): Member[] => [])
  for (const member of members) {
    const values = labels.map((label) => ownValue(member.shape.labels, label))
    const first = values.indexOf(undefined)
    if (first >= 0) {
      missing[first]?.push(member)
      continue
    }
    const key = JSON.stringify(values)
    const entry = labelled.get(key)
    if (entry === undefined) labelled.set(key, { values: values as string[], members: [member] })
    else entry.members.push(member)
  }
  const sorted = [...labelled].sort(([a], [b]) => (a < b ? -1 : 1))
  return { labelled: sorted.map(([, entry]) => entry), missing }
}

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
  return illegal === undefined ? [] : [finding('NameInvalid', `"${illegal}" is not a valid label value`, { subject })]
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

/**
 * The groups of nodes without the label, rendered also where there is no such node today. Of several labels there is one for each:
 * nodes without the first, nodes with the first and without the second, and so on, so that each takes one term.
 */
export function defaultGroups(missing: ReadonlyArray<readonly Member[]>, settings: SizingSettings): Draft[] {
  const { groupLabels, defaultNodeGroup } = settings
  if (defaultNodeGroup === '') return []
  return groupLabels.map((label, index): Draft => {
    const behind = index === 0 ? '' : `-${index + 1}`
    const namePart = `${sanitize(defaultNodeGroup)}${behind}`
    return {
      kind: 'default',
      id: `default${behind}`,
      namePart,
      aliases: [`${defaultNodeGroup}${behind}`, namePart],
      family: defaultNodeGroup,
      nodeSelector: {},
      requirements: [
        ...groupLabels.slice(0, index).map((key) => ({ key, operator: 'Exists' as const })),
        { key: label, operator: 'DoesNotExist' },
      ],
      members: missing[index] ?? [],
    }
  })
}

/** The nodes that go without because the default group is switched off. */
export function withoutDefault(
  missing: ReadonlyArray<readonly Member[]>,
  { groupLabels, defaultNodeGroup }: SizingSettings,
): Without[] {
  const { nodes, nodeCount } = mergeNodes(missing.flat())
  if (defaultNodeGroup !== '' || nodeCount === 0) return []
  const reason = `the label ${groupLabels.join(' or ')} is missing and there is no default group`
  return [{ reason, mayStay: false, nodes: [...nodes].sort(), nodeCount }]
}
