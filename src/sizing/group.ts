import { mergeNodes, type Nodes } from '../inventory/index.ts'
import type { Labels } from '../kube/index.ts'
import type { RuleText } from '../policy/index.ts'
import { type GroupKind, groupText, indexBy } from '../world/index.ts'
import type { Member } from './membership.ts'
import type { Terms } from './terms.ts'

/** Nodes that get one DaemonSet, and how that DaemonSet finds them. */
export interface Group {
  readonly kind: GroupKind
  /** What the group is, whatever it is called: its identity from one render to the next. */
  readonly id: string
  /** The text its name is made of. */
  readonly namePart: string
  /** What is hashed behind the name part, where that is shared with others of its kind. */
  readonly hashOf?: string
  /** What it may be called in overrides and names: its label value and its name part. */
  readonly aliases: readonly string[]
  /** What overrides may call it together with the others of its kind. */
  readonly family?: string
  /** The raw label value, where there is one. */
  readonly value?: string
  readonly nodeSelector: Labels
  readonly terms: Terms
  readonly members: readonly Member[]
  /** What it is sized by, where it has no node and no shape of its own. */
  readonly sizedLike?: Likeness
  /** What it is sized by, where it has some and none of them reports. */
  readonly otherwise?: Likeness
  /** Percentages and bounds of an explicit group. */
  readonly rule?: RuleText
}

/** Nodes and shapes that a group is sized by in place of its own: those of another group, or of the whole policy. */
export interface Likeness {
  readonly of: 'group' | 'policy'
  readonly members: readonly Member[]
}

/** The nodes that the group is made of; declared shapes have none, and a remainder those alone that are left to it until they report. */
export function nodesOfGroup({ members }: Pick<Group, 'members'>): Nodes {
  return mergeNodes(members)
}

/** A group as a sentence names it. */
export function nameOfGroup({ id }: Pick<Group, 'id'>): string {
  return `group ${groupText(id)}`
}

/** Which of some texts mean the group beside the others: a text that is another's label value means that other. */
export function meaningAmong(groups: readonly Group[]): (group: Group, texts: readonly string[]) => string[] {
  const owners = indexBy(groups, ({ value }) => value)
  const isTaken = (alias: string, { id }: Group) => (owners.get(alias) ?? []).some((other) => other.id !== id)
  return (group, texts) => texts.filter((text) => text === group.value || !isTaken(text, group))
}

/** What overrides may call a group: what it alone is called, and what all of its kind are. */
export function overrideTexts({ aliases, family }: Pick<Group, 'aliases' | 'family'>): string[] {
  return family === undefined ? [...aliases] : [...aliases, family]
}

/** The value of a node's label; undefined where it has none. */
export function ownValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** Whether a node carries every label of a selector. */
export function carries(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => ownValue(labels, key) === value)
}
