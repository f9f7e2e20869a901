import { mergeNodes } from '../inventory/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import type { Draft } from './draft.ts'
import type { Member, Without } from './membership.ts'
import { sanitize } from './name.ts'

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
