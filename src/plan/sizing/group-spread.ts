import type { Hole } from '../../core/index.ts'
import type { Resource, Rule, SizingSettings } from '../../kinds/index.ts'
import { type Finding, isError, plural } from '../../krm/finding.ts'
import { amountTexts, Region, regionOfNodeSelector, regionOfPod, unlessMalformed } from '../../kube/index.ts'
import { type Basis, type ReportingMember, reportingMembers } from './basis.ts'
import {
  CLASS_RATIO,
  classesOf,
  type GroupingChoice,
  groupingByType,
  HOSTNAME,
  INSTANCE_TYPE,
  isAutoscaled,
  rangeChoices,
  settingsBy,
} from './choose-label.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup, nodesOfGroup } from './group.ts'
import { groupMembers } from './grouping.ts'
import type { Member } from './membership.ts'
import type { Placement } from './placement.ts'
import { budgetOf, isTimesLess } from './size.ts'

/** Groups whose nodes are too unlike for one size, and the grouping that tells them apart. */

/** A grouping in which no group has a spread, and the option of `nodefit init` that gives it. */
interface Advice {
  readonly choice: GroupingChoice
  readonly option: string
  /** The nodes whose pods restart if the grouping changes. */
  readonly nodeCount: number
}

/** A group, and the rule that sizes it. */
interface RuledGroup {
  readonly group: Group
  readonly rule?: Rule
}

/**
 * `GroupSpread` for each group whose largest node alone would get more than `classes.ratio` (2 without classes) times
 * what its smallest would, of cpu or of memory. Another grouping is proposed only if no group of it has a spread, of
 * either: following the advice then leads to no further advice.
 */
export function spreadFindings(
  groups: readonly RuledGroup[],
  settings: SizingSettings,
  input: { readonly placement: Placement; readonly isAutoscaled: boolean },
): Finding[] {
  const uneven = groups.filter(({ group, rule }) => isSpread(group, rule, settings))
  if (uneven.length === 0) return []
  const advice = adviceFor(groups, settings, input)
  return uneven.map(({ group }) => {
    const isAdvised = advice !== undefined && group.kind !== 'explicit'
    const field = {
      path: settings.groupLabelPath,
      ...(isAdvised ? { proposedValue: labelOf(advice.choice) } : {}),
    }
    const words = isAdvised ? `; ${adviceText(advice)}` : ''
    const mend = isAdvised
      ? `Write that into the policy; for a new package, nodefit init --group-by ${advice.option} does.`
      : undefined
    return finding('GroupSpread', `${nameOfGroup(group)}: ${sizesText(group)}${words}`, { field, mend })
  })
}

/** Whether the largest node of a group alone would get more than the ratio times what the smallest would. */
function isSpread(group: Group, rule: Rule | undefined, { classRatio, steps }: SizingSettings): boolean {
  const all = reportingMembers(group)
  if (group.sizedLike !== undefined || all.length === 0 || rule === undefined) return false
  const ratio = classRatio ?? BigInt(CLASS_RATIO)
  const { least, most } = spreadOf(all)
  const isFar = (resource: Resource) => most[resource].nanoValue() > ratio * least[resource].nanoValue()
  if (!isFar('cpu') && !isFar('memory')) return false
  const [low, high] = [budgetOf(least, rule, steps), budgetOf(most, rule, steps)]
  return low.traces.some(({ name, resource }) => {
    const [small, large] = [low.amounts.get(name), high.amounts.get(name)]
    return isFar(resource) && small !== undefined && large !== undefined && isTimesLess(resource, small, large, ratio)
  })
}

/** The smallest and the largest amounts of each resource. */
function spreadOf(all: readonly ReportingMember[]): { least: Basis; most: Basis } {
  const sorted = (resource: Resource) =>
    all.map(({ allocatable }) => allocatable[resource]).sort((a, b) => a.compare(b))
  const [cpu, memory] = [sorted('cpu'), sorted('memory')]
  const end = (amounts: typeof cpu, at: 0 | -1) => {
    const amount = amounts.at(at)
    if (amount === undefined) throw new Error('a group without nodes has no spread')
    return amount
  }
  return { least: { cpu: end(cpu, 0), memory: end(memory, 0) }, most: { cpu: end(cpu, -1), memory: end(memory, -1) } }
}

function sizesText(group: Group): string {
  const { least, most } = spreadOf(reportingMembers(group))
  const rangeText = (resource: Resource) => amountTexts(resource, [least[resource], most[resource]]).join(' to ')
  return `allocatable cpu ${rangeText('cpu')}, memory ${rangeText('memory')}`
}

/**
 * The grouping to propose: by the instance type, by ranges of a label that grows with node size, or by host names in
 * classes where nodes do not come and go. Undefined for a policy that groups by ranges or host names already.
 */
function adviceFor(
  groups: readonly RuledGroup[],
  settings: SizingSettings,
  input: { readonly placement: Placement; readonly isAutoscaled: boolean },
): Advice | undefined {
  const { groupLabels, rangeBounds } = settings
  if (rangeBounds !== undefined || groupLabels.includes(HOSTNAME)) return undefined
  const members = groups.flatMap(({ group }) => (group.kind === 'explicit' ? [] : group.members))
  const rule = groups.find(({ group }) => group.kind !== 'explicit')?.rule
  const isEven = (choice: GroupingChoice, all: readonly Member[]) => {
    const other = settingsBy(choice, settings)
    const made = groupMembers(all, other, { placement: input.placement, earlier: [] })
    const names = new Set(made.groups.map(({ namePart }) => namePart))
    return (
      names.size === made.groups.length &&
      !made.findings.some(isError) &&
      !made.groups.some((group) => isSpread(group, rule, other))
    )
  }
  const { nodeCount } = nodesOfGroup({ members })
  const byType = groupLabels.includes(INSTANCE_TYPE) ? undefined : groupingByType(members)
  if (byType !== undefined && isEven(byType, members))
    return { choice: byType, option: 'classes' in byType ? 'classes' : INSTANCE_TYPE, nodeCount }
  const ranges = rangeChoices(members).find((choice) => isEven(choice, members))
  if (ranges !== undefined) return { choice: ranges, option: labelOf(ranges), nodeCount }
  const byName = classesOf(HOSTNAME)
  const isLasting = !input.isAutoscaled && !isAutoscaled(members)
  return isLasting && isEven(byName, withHostnames(members))
    ? { choice: byName, option: HOSTNAME, nodeCount }
    : undefined
}

/** Members with a host name each: an inventory need not export the label. */
function withHostnames(members: readonly Member[]): Member[] {
  return members.map((member, index) => {
    const labels = { ...member.shape.labels, [HOSTNAME]: `n${index}` }
    return { ...member, shape: { ...member.shape, labels } }
  })
}

function labelOf(choice: GroupingChoice): string {
  return 'nodeGroupRanges' in choice ? choice.nodeGroupRanges.label : choice.nodeGroupLabel
}

function adviceText({ choice, nodeCount }: Advice): string {
  const cost = `; where it runs already, that restarts its pods on ${plural(nodeCount, 'node')}`
  if ('nodeGroupRanges' in choice) {
    const { label, bounds } = choice.nodeGroupRanges
    return `${label} grows with node size: nodeGroupRanges: { label: ${label}, bounds: [${bounds.join(', ')}] }${cost}`
  }
  const { nodeGroupLabel: label, classes } = choice
  const how = classes === undefined ? '' : ` with classes: { ratio: ${classes.ratio} }`
  const exported = label === HOSTNAME ? ` (nodefit inventory --label ${HOSTNAME})` : ''
  return `nodeGroupLabel: ${label}${how} tells them apart${exported}${cost}`
}

/**
 * The nodes that match the nodeSelector and terms of a group. Undefined where it has a label value that the API server
 * would not accept, which `illegalValues` reports.
 */
function regionOfGroup({ nodeSelector, terms }: Pick<Group, 'nodeSelector' | 'terms'>): Region | undefined {
  return unlessMalformed(() => {
    const selected = regionOfPod({ nodeSelector })
    return terms === undefined ? selected : selected.and(regionOfNodeSelector({ nodeSelectorTerms: [...terms] }))
  })
}

/** The union of the regions of several groups. */
function regionOfGroups(groups: readonly Group[]): Region {
  return Region.union(groups.flatMap((group) => regionOfGroup(group) ?? []))
}

/** Subtraction stops at this many alternatives; coverage of such a policy is not proved. */
const MOST_REGIONS = 4096

/**
 * The regions that a policy leaves without an agent on purpose: nodes without the label where it has no default group,
 * nodes with new label values where it has no remainder, and with ranges nodes whose label value is not an integer.
 */
export function holesOf(settings: SizingSettings, groups: readonly Group[]): Hole[] {
  const explicit = regionOfGroups(groups.filter(({ kind }) => kind === 'explicit'))
  const known = regionOfGroups(groups.filter(({ kind }) => kind !== 'default' && kind !== 'remainder'))
  const expressions = (operator: 'Exists' | 'DoesNotExist') => settings.groupLabels.map((key) => ({ key, operator }))
  const unlabelled = expressions('DoesNotExist').map((expression) => ({ matchExpressions: [expression] }))
  const labelled = [{ matchExpressions: expressions('Exists') }]
  const hole = (nodeSelectorTerms: typeof labelled, taken: Region): Region =>
    regionOfNodeSelector({ nodeSelectorTerms }).minus(taken, MOST_REGIONS) ?? Region.nowhere
  const unseen = settings.rangeBounds === undefined ? newValueHoles(settings) : notIntegerHoles(settings)
  return [
    ...(settings.defaultNodeGroup === ''
      ? [{ region: hole(unlabelled, explicit), why: 'no default group', mayHoldNodes: true }]
      : []),
    ...unseen.map(({ taken, why }) => ({ region: hole(labelled, known.or(taken)), why, mayHoldNodes: false })),
  ]
}

interface LabelledHole {
  /** What is not part of the hole, besides the groups of today. */
  readonly taken: Region
  readonly why: string
}

function newValueHoles({ remainder }: SizingSettings): LabelledHole[] {
  return remainder ? [] : [{ taken: Region.nowhere, why: 'remainder: false' }]
}

/** Values that are not integers. An integer in no range would be an error, not a hole. */
function notIntegerHoles({ groupLabels: [key = ''] }: SizingSettings): LabelledHole[] {
  const nodeSelectorTerms = (['Lt', 'Gt'] as const).map((operator) => ({
    matchExpressions: [{ key, operator, values: [operator === 'Lt' ? '1' : '0'] }],
  }))
  return [{ taken: regionOfNodeSelector({ nodeSelectorTerms }), why: `no range for a ${key} that is not an integer` }]
}

/**
 * The groups that a node can match, and those that none can because template, policy and group contradict each other.
 */
export function withoutImpossible(
  all: readonly Group[],
  placement: Placement,
): { groups: readonly Group[]; impossible: readonly Group[] } {
  const allowed = regionOfPod(placement)
  const impossible = new Set(all.filter((group) => regionOfGroup(group)?.meets(allowed) === false))
  return { groups: all.filter((group) => !impossible.has(group)), impossible: [...impossible] }
}
