import { mergeNodes } from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { isLabelValue } from '../../kube/index.ts'
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

/** Members by label values, sorted; and for each label the members that lack it and have every label before it. */
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

/** A group for each label value, or each combination of values of several labels. An empty value has its own group. */
export function groupsByLabel(
  labelled: readonly Labelled[],
  settings: SizingSettings,
): { groups: Draft[]; findings: Finding[] } {
  return {
    groups: labelled.map((entry) => valueGroup(entry, settings)),
    findings: labelled.flatMap(({ values }) => illegalValues(values, settings)),
  }
}

/** `NameInvalid` for a value that the API server would not accept: it comes from an edited inventory. */
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
 * The default groups: nodes without the label, rendered with or without such nodes. For several labels there is one for
 * nodes without the first, one for nodes with the first and without the second, and so on, so that each needs one term.
 */
export function defaultGroups(missing: ReadonlyArray<readonly Member[]>, settings: SizingSettings): Draft[] {
  const { groupLabels, defaultNodeGroup } = settings
  if (defaultNodeGroup === '') return []
  return groupLabels.map((label, index): Draft => {
    const suffix = index === 0 ? '' : `-${index + 1}`
    const namePart = `${sanitize(defaultNodeGroup)}${suffix}`
    return {
      kind: 'default',
      id: `default${suffix}`,
      namePart,
      aliases: [`${defaultNodeGroup}${suffix}`, namePart],
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

/** The nodes without an agent because the policy has no default group. */
export function withoutDefault(
  missing: ReadonlyArray<readonly Member[]>,
  { groupLabels, defaultNodeGroup }: SizingSettings,
): Without[] {
  const { nodes, nodeCount } = mergeNodes(missing.flat())
  if (defaultNodeGroup !== '' || nodeCount === 0) return []
  const reason = `the label ${groupLabels.join(' or ')} is missing and there is no default group`
  return [{ reason, mayStay: false, nodes: [...nodes].sort(), nodeCount }]
}
