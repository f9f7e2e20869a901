import { nearest, type SizingSettings } from '../../kinds/index.ts'
import { type Finding, plural } from '../../krm/finding/index.ts'
import type { Item } from '../../krm/types.ts'
import { doesReport } from './basis.ts'
import { chooseLabel, isKnownLabel } from './choose-label.ts'
import { correctLabelIn, finding } from './codes.ts'
import { rememberedOf } from './earlier-groups.ts'
import { leastBasis, rememberedValues } from './emptied.ts'
import { countExclusions, type Draft, explicitGroups, groupFromDraft, placementFacts } from './explicit-groups.ts'
import type { Group } from './group.ts'
import { defaultGroups, splitByLabels, withoutDefault } from './group-by-label.ts'
import type { Member, Without } from './membership.ts'
import { type Partition, partition } from './partition.ts'
import type { Placement } from './placement.ts'
import { absentText, carriedAbsence, type Retained, type RetentionInput, retainedValues } from './retained.ts'
import { countJoined, MOST_TERMS, requiredTerms } from './terms.ts'

/** The most terms that exclude explicit groups: eight of two labels each that share no label key. */
const MOST_ALTERNATIVES = 256

export interface Grouping {
  readonly groups: readonly Group[]
  /** Explicit groups without nodes, which an Order does not render. */
  readonly empty: readonly Group[]
  /** Groups that the remainder serves until their nodes report. */
  readonly left: ReadonlyArray<Pick<Group, 'aliases'>>
  readonly without: readonly Without[]
  readonly findings: readonly Finding[]
  /** When the next group goes whose nodes have gone. */
  readonly until?: Date
}

const NONE: Grouping = { groups: [], empty: [], left: [], without: [], findings: [] }

/** What grouping reads besides nodes and policy. */
export interface GroupingInput extends Partial<Pick<RetentionInput, 'shapes' | 'now'>> {
  readonly placement: Placement
  /**
   * The earlier output of the policy: a value stays in its class while it is near, or while its nodes do not report.
   */
  readonly earlier: readonly Item[]
}

/**
 * Groups the members: explicit groups first, where the first match wins; then by label values, ranges or classes, where
 * an absent label differs from an empty value; last the remainder, for values that no node has yet. The order of groups
 * does not depend on that of the members. A group without nodes is kept where something can size it; without any
 * member, the groups of the earlier output stay if it shows their basis, but not for an Order.
 */
export function groupMembers(
  members: readonly Member[],
  settings: SizingSettings,
  { placement, shapes = [], now, ...input }: GroupingInput,
): Grouping {
  const facts = placementFacts(placement)
  const selectors = settings.explicitGroups.map(({ nodeSelector }) => nodeSelector)
  const joined = countJoined(requiredTerms(placement.affinity))
  const most = Math.floor(MOST_TERMS / joined)
  const alternatives = countExclusions(selectors, facts, { most, limit: MOST_ALTERNATIVES })
  const count = alternatives * joined
  if (alternatives > MOST_ALTERNATIVES || count > MOST_TERMS)
    return { ...NONE, findings: [tooManyTermsFinding(alternatives, count, settings)] }
  const isEmptied = members.length === 0
  if (isEmptied && (settings.target.kind === 'Order' || leastBasis(rememberedOf(input.earlier).values()) === undefined))
    return NONE
  const explicit = explicitGroups(members, settings)
  const { labelled: seen, missing } = splitByLabels(explicit.rest, settings.groupLabels)
  const retained: Retained = isEmptied
    ? emptied(input.earlier, settings)
    : retainedValues(seen, { settings, placement, shapes, now, ...input })
  const parts = marked(partition(retained.labelled, settings, input), retained)
  const drafts = [...parts.groups, ...defaultGroups(missing, settings), ...parts.remainders]
  const groups = [
    ...explicit.groups.map((draft, index) => groupFromDraft(draft, selectors.slice(0, index), facts, most)),
    ...drafts.map((draft) => groupFromDraft(draft, selectors, facts, most)),
  ]
  return {
    groups: withSizes(groups, members, settings),
    empty:
      settings.target.kind === 'Order'
        ? explicit.groups.flatMap((draft, index) => (draft.members.length > 0 ? [] : (groups[index] ?? [])))
        : [],
    left: parts.left,
    without: withoutDefault(missing, settings),
    findings: [
      ...(retained.absent.size > 0 ? [] : labelFindings(explicit.rest, settings)),
      ...retained.findings,
      ...parts.findings,
    ],
    ...(retained.until === undefined ? {} : { until: retained.until }),
  }
}

/** The values of the earlier groups, where no node is left. */
function emptied(earlier: readonly Item[], settings: SizingSettings): Retained {
  const labelled = rememberedValues(earlier, settings)
  return { labelled, absent: carriedAbsence(labelled, settings, earlier), findings: [] }
}

/** Marks the groups of values without nodes with the time since when; a class has the times of several. */
function marked(parts: Partition, { absent }: Pick<Retained, 'absent'>): Partition {
  if (absent.size === 0) return parts
  const values = [...absent].map(([key, since]) => ({ values: JSON.parse(key) as string[], since }))
  return {
    ...parts,
    groups: parts.groups.map((draft) => {
      const own = values.filter((entry) => isOfDraft(entry.values, draft))
      const known = own.flatMap((entry) => (entry.since === undefined ? [] : [[entry.values, entry.since] as const]))
      const isAbsent = own.length > 0 && draft.members.length === 0 ? { isAbsent: true } : {}
      return { ...draft, ...isAbsent, ...(known.length === 0 ? {} : { absentSince: absentText(known) }) }
    }),
  }
}

function isOfDraft(values: readonly string[], { kind, id, requirements }: Draft): boolean {
  if (kind === 'value') return id === `value:${values.join(',')}`
  return requirements.some((requirement) => requirement.values?.includes(values[0] ?? '') === true)
}

/**
 * A group without nodes and shapes is sized like the remainder. So is a group none of whose nodes reports, if there is
 * a remainder or the group is a range. An Order has no groups without nodes: there is nothing to reserve.
 */
function withSizes(groups: readonly Group[], members: readonly Member[], settings: SizingSettings): Group[] {
  const { target, remainder, rangeBounds } = settings
  const isOrder = target.kind === 'Order'
  const sizedLike = { of: 'policy', members } as const
  const isSizedByMembers = (group: Group) => group.kind !== 'remainder' && group.members.length > 0
  return groups
    .filter((group) => !isOrder || group.members.length > 0)
    .map((group) => {
      if (!isSizedByMembers(group)) return { sizedLike, ...group }
      const isSettled = doesReport(group.members) || group.kind === 'value' || !(remainder || rangeBounds !== undefined)
      return isSettled ? group : { fallback: sizedLike, ...group }
    })
}

function tooManyTermsFinding(alternatives: number, count: number, { subject }: SizingSettings): Finding {
  const sentence =
    alternatives > MOST_ALTERNATIVES
      ? `${subject.metadata.name}: excluding the explicit groups needs more than ${MOST_ALTERNATIVES} terms`
      : `${subject.metadata.name}: excluding the explicit groups needs ${plural(alternatives, 'term')}, joined with those of template and policy ${count}; at most ${MOST_TERMS} are allowed`
  return finding('TooManyTerms', sentence, { subject, field: { path: 'spec.groups' } })
}

/**
 * `LabelOnNoNode` for each group label that no node has, unless explicit groups took every node or nodes had it
 * before. For Kubescape's template a known label is only a warning: its operator puts all nodes into the default group,
 * as on bare metal. Any other label is probably mistyped; an inventory, which does not export it, is refused too.
 */
function labelFindings(
  members: readonly Member[],
  { groupLabels, groupLabelPath, subject, target, defaultNodeGroup }: SizingSettings,
): Finding[] {
  if (members.length === 0) return []
  const absent = groupLabels.filter((label) => !members.some(({ shape }) => Object.hasOwn(shape.labels, label)))
  const known = [...new Set(members.flatMap(({ shape }) => Object.keys(shape.labels)))].sort()
  const best = chooseLabel(members)
  const isOperatorTemplate = target.kind === 'ConfigMap' && defaultNodeGroup !== ''
  return absent.map((label) => {
    const guess = isKnownLabel(label) ? undefined : nearest(label, known)
    const usual = best === undefined ? '' : `; some nodes have ${best}`
    const hint = guess === undefined ? usual : `; did you mean ${guess}?`
    const sentence = `${subject.metadata.name}: no node of the policy has the label ${label}${hint}`
    const field = { path: groupLabelPath, currentValue: label, proposedValue: guess ?? best }
    const mend = correctLabelIn(groupLabelPath.replace(/^spec\./, ''))
    const found = finding('LabelOnNoNode', sentence, { subject, field, mend })
    return isOperatorTemplate && isKnownLabel(label) ? { ...found, severity: 'warning' } : found
  })
}
