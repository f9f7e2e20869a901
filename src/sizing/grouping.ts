import type { Finding } from '../finding/index.ts'
import type { Item } from '../krm/types.ts'
import { nearest, type SizingSettings } from '../policy/index.ts'
import { doesReport } from './basis.ts'
import { chooseLabel, isUsual } from './choose-label.ts'
import { correctLabelIn, finding } from './codes.ts'
import { countExclusions, explicitGroups, finished, placementFacts } from './explicit-groups.ts'
import type { Group } from './group.ts'
import { defaultGroups, splitByLabels, withoutDefault } from './group-by-label.ts'
import type { Member, Without } from './membership.ts'
import { partitioned } from './partition.ts'
import type { Placement } from './placement.ts'
import { countJoined, MOST_TERMS, requiredTerms } from './terms.ts'

const MOST_ALTERNATIVES = 64

export interface Grouping {
  readonly groups: readonly Group[]
  /** Explicit groups without any node that are none of an Order. */
  readonly empty: readonly Group[]
  /** What is no group until its nodes report: a remainder has them. */
  readonly left: ReadonlyArray<Pick<Group, 'aliases'>>
  readonly without: readonly Without[]
  readonly findings: readonly Finding[]
}

const NONE: Grouping = { groups: [], empty: [], left: [], without: [], findings: [] }

/** What grouping goes by beside nodes and policy. */
export interface GroupingInput {
  readonly placement: Pick<Placement, 'nodeSelector' | 'affinity'>
  /** What the policy rendered before: a value stays in its class while it is near, and where its nodes do not report. */
  readonly earlier: readonly Item[]
}

/**
 * Groups the members: explicit groups first, the first match wins; then by label values, ranges or classes, where absent, empty and
 * each value are different things; at last the remainder, for values nobody has seen yet. Groups come in order of their identity, whatever the
 * order of the members. Those without any node are groups, too, as far as there is something to size them by.
 */
export function groupMembers(
  members: readonly Member[],
  settings: SizingSettings,
  { placement, ...input }: GroupingInput,
): Grouping {
  const facts = placementFacts(placement)
  const selectors = settings.explicitGroups.map(({ nodeSelector }) => nodeSelector)
  const alternatives = countExclusions(selectors, facts)
  const count = alternatives * countJoined(requiredTerms(placement.affinity))
  if (alternatives > MOST_ALTERNATIVES || count > MOST_TERMS)
    return { ...NONE, findings: [tooManyTerms(alternatives, count, settings)] }
  if (members.length === 0) return NONE
  const explicit = explicitGroups(members, settings)
  const { labelled, missing } = splitByLabels(explicit.rest, settings.groupLabels)
  const partition = partitioned(labelled, settings, input)
  const drafts = [...partition.groups, ...defaultGroups(missing, settings), ...partition.remainders]
  const groups = [
    ...explicit.groups.map((draft, index) => finished(draft, selectors.slice(0, index), facts)),
    ...drafts.map((draft) => finished(draft, selectors, facts)),
  ]
  return {
    groups: withSizes(groups, members, settings),
    empty:
      settings.target.kind === 'Order'
        ? explicit.groups.flatMap((draft, index) => (draft.members.length > 0 ? [] : (groups[index] ?? [])))
        : [],
    left: partition.left,
    without: withoutDefault(missing, settings),
    findings: [...labelOnNoNode(explicit.rest, settings), ...partition.findings],
  }
}

/**
 * A group without any node or shape is sized like the remainder, and so is one none of whose nodes reports, if there is a remainder;
 * a range needs none. An Order reserves nothing on nodes that are not there.
 */
function withSizes(groups: readonly Group[], members: readonly Member[], settings: SizingSettings): Group[] {
  const { target, remainder, rangeBounds } = settings
  const isOrder = target.kind === 'Order'
  const sizedLike = { of: 'policy', members } as const
  const isSizedByOwn = ({ kind, members: own }: Group) => kind !== 'remainder' && own.length > 0
  return groups
    .filter(({ members: own }) => !isOrder || own.length > 0)
    .map((group) => {
      if (!isSizedByOwn(group)) return { sizedLike, ...group }
      const isSettled = doesReport(group.members) || group.kind === 'value' || !(remainder || rangeBounds !== undefined)
      return isSettled ? group : { otherwise: sizedLike, ...group }
    })
}

function tooManyTerms(alternatives: number, count: number, { subject }: SizingSettings): Finding {
  const sentence =
    alternatives > MOST_ALTERNATIVES
      ? `${subject.metadata.name}: excluding the explicit groups needs ${alternatives} terms; at most ${MOST_ALTERNATIVES} are allowed`
      : `${subject.metadata.name}: excluding the explicit groups needs ${alternatives} terms, joined with those of template and policy ${count}; at most ${MOST_TERMS} are allowed`
  return finding('TooManyTerms', sentence, { subject, field: { path: 'spec.groups' } })
}

/**
 * A label that no node has is a mistake, unless explicit groups took every node before it was looked at. Kubescape's operator puts all
 * nodes into its default group then, as on a cluster of one size: of its template it is only a warning.
 */
function labelOnNoNode(
  members: readonly Member[],
  { groupLabels, groupLabelPath, subject, target, defaultNodeGroup }: SizingSettings,
): Finding[] {
  if (members.length === 0) return []
  const absent = groupLabels.filter((label) => !members.some(({ shape }) => Object.hasOwn(shape.labels, label)))
  const known = [...new Set(members.flatMap(({ shape }) => Object.keys(shape.labels)))].sort()
  const best = chooseLabel(members)
  const isOperators = target.kind === 'ConfigMap' && defaultNodeGroup !== ''
  return absent.map((label) => {
    const guess = isUsual(label) ? undefined : nearest(label, known)
    const own = best === undefined ? '' : `; some nodes have ${best}`
    const hint = guess === undefined ? own : `; did you mean ${guess}?`
    const sentence = `${subject.metadata.name}: no node of the policy has the label ${label}${hint}`
    const field = { path: groupLabelPath, currentValue: label, proposedValue: guess ?? best }
    const mend = correctLabelIn(groupLabelPath.replace(/^spec\./, ''))
    const found = finding('LabelOnNoNode', sentence, { subject, field, mend })
    return isOperators ? { ...found, severity: 'warning' } : found
  })
}
