import type { Finding } from '../finding/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Draft } from './draft.ts'
import type { Group } from './group.ts'
import { carries } from './label-value.ts'
import type { Member } from './membership.ts'
import { sanitize } from './name.ts'

/**
 * The policy's explicit groups, in its order; the first whose selector a node carries has it. One without nodes is a group all the
 * same: its pool may be scaled to zero, and the others exclude it.
 */
export function explicitGroups(
  members: readonly Member[],
  { explicitGroups: groups }: SizingSettings,
): { groups: Draft[]; rest: Member[] } {
  const owners = members.map(({ shape }) => groups.findIndex(({ nodeSelector }) => carries(shape.labels, nodeSelector)))
  const membersOf = (index: number) => members.filter((_, at) => owners[at] === index)
  const drafts = groups.map(({ name, nodeSelector, ...rule }, index): Draft => {
    const own = { namePart: sanitize(name), aliases: [name], nodeSelector, requirements: [], rule }
    return { kind: 'explicit', id: explicitId(name), ...own, members: membersOf(index) }
  })
  return { groups: drafts, rest: membersOf(-1) }
}

/** The explicit groups without nodes, but those that no node could ever match: of these that is said. */
export function emptyGroupFindings(
  groups: readonly Group[],
  impossible: readonly Group[],
  { explicitGroups, subject }: SizingSettings,
): Finding[] {
  const told = new Set([...groups.filter(({ members }) => members.length > 0), ...impossible].map(({ id }) => id))
  return explicitGroups.flatMap(({ name, nodeSelector }, index) => {
    if (told.has(explicitId(name))) return []
    const field = { path: `spec.groups.${index}.nodeSelector`, currentValue: nodeSelector }
    return [finding('EmptyGroup', `${subject.metadata.name}: group ${name} has no nodes`, { subject, field })]
  })
}

function explicitId(name: string): string {
  return `group:${name}`
}
