import { type GroupKind, groupText, indexBy } from '../../core/index.ts'
import { mergeNodes, type Nodes } from '../../facts/inventory/index.ts'
import type { RuleText } from '../../kinds/index.ts'
import type { Labels } from '../../kube/index.ts'
import type { Member } from './membership.ts'
import type { Terms } from './terms.ts'

/** Nodes that share one rendered object, and how that object selects them. */
export interface Group {
  readonly kind: GroupKind
  /** Its identity from one render to the next; does not depend on its name. */
  readonly id: string
  /** The part of its name that tells it from other groups. */
  readonly namePart: string
  /** The text whose hash follows the name part, where groups of a kind share that part. */
  readonly hashOf?: string
  /** How overrides and names may refer to it: label value and name part. */
  readonly aliases: readonly string[]
  /** How overrides may refer to all groups of its kind. */
  readonly family?: string
  /** The raw label value of a value group. */
  readonly value?: string
  readonly nodeSelector: Labels
  readonly terms: Terms
  readonly members: readonly Member[]
  /** What sizes it where it has no nodes and shapes. */
  readonly sizedLike?: Likeness
  /** Since when label values of it have no node, for its mark; undefined where all have one, or no time is known. */
  readonly absentSince?: string
  /** Whether it has no node of its own any more and keeps the sizes of the earlier output. */
  readonly isAbsent?: boolean
  /** What sizes it where none of its nodes reports. */
  readonly fallback?: Likeness
  /** Percentages and bounds of an explicit group. */
  readonly rule?: RuleText
}

/** Nodes and shapes that size a group instead of its own: those of another group, or of the whole policy. */
export interface Likeness {
  readonly of: 'group' | 'policy'
  readonly members: readonly Member[]
}

/** The nodes of a group. Declared shapes add none; a remainder has the nodes that it serves until they report. */
export function nodesOfGroup({ members }: Pick<Group, 'members'>): Nodes {
  return mergeNodes(members)
}

/** How messages name a group: `group value:m5.large`. */
export function nameOfGroup({ id }: Pick<Group, 'id'>): string {
  return `group ${groupText(id)}`
}

/**
 * A function that gives those texts that refer to a group: a text that is the label value of another group refers to
 * that one.
 */
export function meaningAmong(groups: readonly Group[]): (group: Group, texts: readonly string[]) => string[] {
  const owners = indexBy(groups, ({ value }) => value)
  const isTaken = (alias: string, { id }: Group) => (owners.get(alias) ?? []).some((other) => other.id !== id)
  return (group, texts) => texts.filter((text) => text === group.value || !isTaken(text, group))
}

/**
 * A function that gives the key of `spec.names` that names a group and no other; undefined where there is none, as for
 * the default group beside a label value of its name.
 */
export function nameKeyAmong(groups: readonly Group[]): (group: Group) => string | undefined {
  const meaning = meaningAmong(groups)
  const owners = indexBy(
    groups.flatMap((group) => [...new Set(meaning(group, group.aliases))].map((alias) => ({ alias, group }))),
    ({ alias }) => alias,
  )
  return (group) => meaning(group, group.aliases).find((alias) => owners.get(alias)?.length === 1)
}

/** The texts by which overrides may refer to a group or to all of its kind. */
export function overrideTexts({ aliases, family }: Pick<Group, 'aliases' | 'family'>): string[] {
  return family === undefined ? [...aliases] : [...aliases, family]
}

/** The value of a label; undefined where it is absent. */
export function ownValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** Whether labels match a nodeSelector. */
export function carries(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => ownValue(labels, key) === value)
}
