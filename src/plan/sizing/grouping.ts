import { nearest, type SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding.ts'
import { SIZE_LABEL } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import type { NodeSelectorRequirement } from '../../kube/index.ts'
import { meetsRequirement } from '../../kube/requirements.ts'
import { doesReport } from './basis.ts'
import { chooseLabel, isKnownLabel } from './choose-label.ts'
import { correctLabelIn, finding } from './codes.ts'
import { rememberedOf } from './earlier-groups.ts'
import { countExclusions, type Draft, explicitGroups, groupFromDraft, placementFacts } from './explicit-groups.ts'
import type { Group } from './group.ts'
import {
  type ClassInput,
  defaultGroups,
  groupsByClass,
  groupsByLabel,
  groupsByRange,
  type Labelled,
  splitByLabels,
  withoutDefault,
} from './group-by.ts'
import type { Member, Without } from './membership.ts'
import { digestOf } from './names.ts'
import type { Placement } from './placement.ts'
import {
  absentText,
  carriedAbsence,
  leastBasis,
  type Retained,
  type RetentionInput,
  rememberedValues,
  retainedValues,
} from './retained.ts'
import { countJoined, MOST_TERMS, requiredTerms } from './terms.ts'

/** The most terms that exclude explicit groups: eight of two labels each that share no label key. */
const MOST_ALTERNATIVES = 256

interface Grouping {
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
interface GroupingInput extends Partial<Pick<RetentionInput, 'shapes' | 'now'>> {
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

const SIZE_LABEL_MEND = `Give each node its class, as nodefit init printed it (kubectl label nodes NAME ${SIZE_LABEL}=large), and write the inventory again: nodefit inventory nodes.json --label ${SIZE_LABEL}.`

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
    // no other label can stand for one that a person sets
    if (label === SIZE_LABEL)
      return finding('LabelOnNoNode', `${subject.metadata.name}: no node of the policy has the label ${label} yet`, {
        ...{ subject, field: { path: groupLabelPath, currentValue: label }, mend: SIZE_LABEL_MEND },
      })
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

/** The groups of the nodes that have every group label, and remainders for new values. */
interface Partition {
  readonly groups: readonly Draft[]
  readonly remainders: readonly Draft[]
  /** Groups that the remainder serves until their nodes report. */
  readonly left: readonly Draft[]
  readonly findings: readonly Finding[]
}

/** Divides the nodes that have every group label into groups: by ranges, classes or values, as the policy sets. */
function partition(
  labelled: readonly Labelled[],
  settings: SizingSettings,
  input: Omit<ClassInput, 'ratio'>,
): Partition {
  const { rangeBounds, classRatio } = settings
  if (rangeBounds !== undefined) return { ...groupsByRange(labelled, settings, rangeBounds), remainders: [], left: [] }
  if (classRatio === undefined) return byLabel(labelled, settings, input)
  const { groups, known, unsized, findings } = groupsByClass(labelled, settings, { ...input, ratio: classRatio })
  return {
    groups,
    remainders: remaindersFor(known, unsized, settings),
    left: [],
    findings: [...findings, ...unsizedFindings(unsized, settings)],
  }
}

/**
 * Groups by value. A value without nodes that report and without an earlier size is left to the remainder, if there is
 * one.
 */
function byLabel(
  labelled: readonly Labelled[],
  settings: SizingSettings,
  { earlier }: Pick<ClassInput, 'earlier'>,
): Partition {
  const remembered = rememberedOf(earlier)
  const { groups, findings } = groupsByLabel(labelled, settings)
  const isLeft = ({ id, members }: Draft) =>
    settings.remainder && !doesReport(members) && remembered.get(id)?.basis === undefined
  const isUnsized = groups.map(isLeft)
  const unsized = labelled.filter((_, index) => isUnsized[index])
  const known = labelled.filter((_, index) => !isUnsized[index])
  return {
    groups: groups.filter((_, index) => !isUnsized[index]),
    remainders: remaindersFor(known, unsized, settings),
    left: groups.filter((_, index) => isUnsized[index]),
    findings: [...findings, ...unsizedFindings(unsized, settings)],
  }
}

/** The remainders besides known values; each has the unsized nodes that it serves. */
function remaindersFor(
  known: readonly Labelled[],
  unsized: readonly Labelled[],
  { remainder, groupLabels }: SizingSettings,
): Draft[] {
  if (!remainder) return []
  const remainders = remainderGroups(
    groupLabels,
    known.map(({ values }) => values),
  )
  const members = unsized.flatMap((entry) => entry.members)
  return remainders.map((draft) => ({
    ...draft,
    members: members.filter(({ shape }) =>
      draft.requirements.every((requirement) => meetsRequirement(requirement, shape.labels)),
    ),
  }))
}

/** Values without nodes that report: a warning where the remainder serves them, else `NoAllocatable`. */
function unsizedFindings(unsized: readonly Labelled[], { remainder, subject }: SizingSettings): Finding[] {
  if (unsized.length === 0) return []
  const values = listNames(unsized.map((entry) => entry.values.join(',')))
  const sentence = `${subject.metadata.name}: no node of ${values} reports allocatable cpu and memory`
  return remainder
    ? [finding('NodesNotSized', `${sentence}, so the remainder serves them`, { subject })]
    : [finding('NoAllocatable', `${sentence}, so they are in no class`, { subject })]
}

const REMAINDER = 'remainder'
const ID_DIGITS = 10

/** Values of the first labels whose combinations all occur with the same values of the next label. */
interface Product {
  readonly before: ReadonlyArray<readonly string[]>
  readonly next: readonly string[]
  /** The text that its name hashes; undefined for new values of the first label. */
  readonly identity?: string
}

/**
 * The groups for nodes with every label in a new combination: one for new values of the first label, then one for each
 * full product of known values with the same known next values (DESIGN, "Remainder"). Each needs one term.
 */
function remainderGroups(labels: readonly string[], combinations: ReadonlyArray<readonly string[]>): Draft[] {
  const depths = labels.map((_, depth) => productsAt(depth, combinations))
  return depths.flat().map((product) => remainderGroup(labels, product))
}

function remainderGroup(labels: readonly string[], { before, next, identity }: Product): Draft {
  const [label = '', ...rest] = labels.slice(before.length)
  const requirements: NodeSelectorRequirement[] = [
    ...before.map((values, index) => ({ key: labels[index] ?? '', operator: 'In', values: [...values] })),
    { key: label, operator: 'Exists' },
    ...(next.length > 0 ? [{ key: label, operator: 'NotIn', values: [...next] }] : []),
    ...rest.map((key) => ({ key, operator: 'Exists' })),
  ]
  const draft = { kind: 'remainder', namePart: REMAINDER, nodeSelector: {}, requirements, members: [] } as const
  if (identity === undefined) return { ...draft, id: REMAINDER, aliases: [REMAINDER], family: REMAINDER }
  const id = `${REMAINDER}:${digestOf(identity, ID_DIGITS)}`
  return { ...draft, id, hashOf: identity, aliases: [`${REMAINDER}-${digestOf(identity)}`], family: REMAINDER }
}

/** The products of known values of the first `depth` labels, sorted by the next values. */
function productsAt(depth: number, combinations: ReadonlyArray<readonly string[]>): Product[] {
  const nexts = new Map<string, Set<string>>()
  for (const values of combinations) {
    const before = JSON.stringify(values.slice(0, depth))
    const next = values[depth] ?? ''
    const known = nexts.get(before)
    if (known === undefined) nexts.set(before, new Set([next]))
    else known.add(next)
  }
  if (depth === 0) return [{ before: [], next: [...(nexts.get('[]') ?? [])].sort() }]
  const alike = new Map<string, string[][]>()
  for (const [before, values] of nexts) {
    const next = JSON.stringify([...values].sort())
    alike.set(next, [...(alike.get(next) ?? []), JSON.parse(before) as string[]])
  }
  return [...alike].sort(byKey).flatMap(([key, prefixes]) => {
    const next = JSON.parse(key) as string[]
    const products = fullProducts(prefixes)
    return products.map((before) => {
      const identity = JSON.stringify(products.length === 1 ? [depth, next] : [depth, next, before])
      return { before, next, identity }
    })
  })
}

/** Divides tuples into full products: first members with equal rests are in one. */
function fullProducts(tuples: readonly string[][]): string[][][] {
  if ((tuples[0]?.length ?? 0) === 0) return [[]]
  const rests = new Map<string, string[][]>()
  for (const [first = '', ...rest] of tuples) rests.set(first, [...(rests.get(first) ?? []), rest])
  const alike = new Map<string, string[]>()
  for (const [first, tails] of rests) {
    const key = JSON.stringify(tails.map((rest) => JSON.stringify(rest)).sort())
    alike.set(key, [...(alike.get(key) ?? []), first])
  }
  return [...alike].sort(byKey).flatMap(([, firsts]) => {
    const tails = rests.get(firsts[0] ?? '') ?? []
    return fullProducts(tails).map((product) => [[...firsts].sort(), ...product])
  })
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
