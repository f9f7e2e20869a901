import type { Finding } from '../finding/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Draft } from './draft.ts'
import { carries } from './label-value.ts'
import type { Member } from './membership.ts'
import { sanitize } from './name.ts'

/**
 * The policy's explicit groups, in its order; the first whose selector a node carries has it. One without nodes is a group all the
 * same: its pool may be scaled to zero, and the others exclude it.
 */
export function explicitGroups(
  members: readonly Member[],
  { explicitGroups: groups, subject }: SizingSettings,
): { groups: Draft[]; rest: Member[]; findings: Finding[] } {
  const owners = members.map(({ shape }) => groups.findIndex(({ nodeSelector }) => carries(shape.labels, nodeSelector)))
  const membersOf = (index: number) => members.filter((_, at) => owners[at] === index)
  const drafts = groups.map(({ name, nodeSelector, ...rule }, index): Draft => {
    const own = { namePart: sanitize(name), aliases: [name], nodeSelector, requirements: [], rule }
    return { kind: 'explicit', id: `group:${name}`, ...own, members: membersOf(index) }
  })
  const findings = drafts.flatMap(({ members: own, nodeSelector }, index) => {
    if (own.length > 0) return []
    const field = { path: `spec.groups.${index}.nodeSelector`, currentValue: nodeSelector }
    const sentence = `${subject.metadata.name}: group ${groups[index]?.name} has no nodes`
    return [finding('EmptyGroup', sentence, { subject, field })]
  })
  return { groups: drafts, rest: membersOf(-1), findings }
}
