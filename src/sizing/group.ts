import type { Labels } from '../kube/index.ts'
import type { RuleText } from '../policy/index.ts'
import { type GroupKind, indexBy } from '../world/index.ts'
import type { Member } from './membership.ts'
import type { Terms } from './terms.ts'

/** Nodes that get one DaemonSet, and how that DaemonSet finds them. */
export interface Group {
  readonly kind: GroupKind
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

/** The nodes that the group is made of; declared shapes have none, and a remainder is for nodes that nobody has seen. */
export function nodesOfGroup({ kind, members }: Pick<Group, 'kind' | 'members'>): string[] {
  return kind === 'remainder' ? [] : members.flatMap(({ nodes }) => nodes)
}

/** A group as a sentence names it. */
export function nameOfGroup({ id }: Pick<Group, 'id'>): string {
  return `group ${id}`
}

/** What groups may be called beside each other: a text that is another's label value means that other. */
export function aliasesAmong(groups: readonly Group[]): (group: Group) => string[] {
  const owners = indexBy(groups, ({ value }) => value)
  const isTaken = (alias: string, { id }: Group) => (owners.get(alias) ?? []).some((other) => other.id !== id)
  return (group) => group.aliases.filter((alias) => alias === group.value || !isTaken(alias, group))
}
