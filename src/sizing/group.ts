import type { Labels } from '../kube/index.ts'
import type { RuleText } from '../policy/index.ts'
import type { Member } from './membership.ts'
import type { Terms } from './terms.ts'

/** Nodes that get one DaemonSet, and how that DaemonSet finds them. */
export interface Group {
  /** What the group is, whatever it is called: its identity from one render to the next. */
  readonly id: string
  /** The text its name is made of. */
  readonly namePart: string
  /** What it may be called in overrides and names: its label value and its name part. */
  readonly aliases: readonly string[]
  /** The raw label value, where there is one. */
  readonly value?: string
  readonly nodeSelector: Labels
  readonly terms: Terms
  readonly members: readonly Member[]
  /** Percentages and bounds of an explicit group. */
  readonly rule?: RuleText
}

/** How many nodes the group has; declared shapes have none. */
export function sizeOfGroup({ members }: Pick<Group, 'members'>): number {
  return members.reduce((count, { nodes }) => count + nodes.length, 0)
}

/** What a group may be called beside the others: a text that is another's label value means that other. */
export function aliasesOf(group: Group, groups: readonly Group[]): string[] {
  return group.aliases.filter(
    (alias) => alias === group.value || !groups.some(({ id, value }) => id !== group.id && value === alias),
  )
}
