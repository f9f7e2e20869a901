import type { FlatKeys } from '../../core/index.ts'
import type { Fleet, LiveNode, UsageRow } from '../../facts/inventory/index.ts'
import { type PercentageName, rulesOf, type SizingSettings } from '../../kinds/index.ts'
import { type Finding, type Read, withPrefix, withSubject } from '../../krm/finding.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { PodSpec } from '../../kube/index.ts'
import { type ChosenBasis, chooseBasis } from './basis.ts'
import { finding } from './codes.ts'
import { earlierNames, type Remembered, rememberedOf } from './earlier-groups.ts'
import { type Group, meaningAmong, nameOfGroup, overrideTexts } from './group.ts'
import {
  emptyGroupFindings,
  impossibleFinding,
  runsBefore,
  taintedFindings,
  unusedEntryFindings,
} from './group-findings.ts'
import { spreadFindings, withoutImpossible } from './group-spread.ts'
import { groupMembers } from './grouping.ts'
import { membersOf, type Without } from './membership.ts'
import { assignNames, type GroupName, type Naming } from './names.ts'
import type { Placement } from './placement.ts'
import { emptiedFindings, leastBasis } from './retained.ts'
import { type Budget, budgetOf, type ContainerSize, type Share, splitBudget } from './size.ts'
import { statedSizes } from './stated-sizes.ts'
import { usageFindings } from './usage/findings.ts'
import { type GroupUsage, sizeWithUsage } from './usage/group-usage.ts'
import { namesIn, type PolicyUsage, policyUsage, rowOwner } from './usage/policy-usage.ts'

/** A group with its name and sizes. */
export interface SizedGroup extends ChosenBasis {
  readonly group: Group
  readonly name: GroupName
  /** Its earlier object. */
  readonly before?: Remembered
  readonly budget: Budget
  readonly sizes: readonly ContainerSize[]
  /** What usage makes of it; undefined where its policy has no usage. */
  readonly usage?: GroupUsage
}

/** What `sizeGroups` reads. */
export interface SizingInput {
  readonly fleet: Fleet
  readonly placement: Placement
  readonly settings: SizingSettings
  readonly shares: readonly Share[]
  /** The earlier output of the policy, whose names, labels and bases are kept. */
  readonly earlier: readonly Item[]
  /** What other policies render from the same template: their names and labels are taken. */
  readonly taken?: readonly KubernetesObject[]
  readonly naming: Naming
  /** The pod with the containers that are sized, which sizes that a look leaves out start from. */
  readonly pod: PodSpec
  /** How the policy's flat keys were given; undefined where it is an object. */
  readonly flat?: FlatKeys
  /** Whether nodes are known to come and go. */
  readonly isAutoscaled?: boolean
  /** Returns what runs on the nodes, as far as a WorkloadSnapshot shows it. */
  readonly live?: readonly LiveNode[]
  /** What a WorkloadSnapshot knows of usage; undefined where none has collected it. */
  readonly rows?: readonly UsageRow[]
  /** The namespace of what is rendered, where that is known. */
  readonly namespace?: string
  /** The time of the run. */
  readonly now?: Date
}

/**
 * The named and sized groups of a policy, and the nodes without an agent. A group that cannot be sized is left out,
 * with an error.
 */
export function sizeGroups(input: SizingInput): {
  groups: SizedGroup[]
  without: Without[]
  findings: Finding[]
  /** Whether no node is left in a fleet that has others, and the earlier groups stay. */
  isEmptied: boolean
  /** When the next group goes whose nodes have gone. */
  until?: Date
} {
  const { fleet, placement, settings, earlier, taken = [], naming } = input
  const { subject } = settings
  const { members, without } = membersOf(fleet.shapes, placement)
  const remembered = rememberedOf(earlier)
  const grouping = groupMembers(members, settings, { placement, earlier, shapes: fleet.shapes, now: input.now })
  const { groups, impossible: notRendered } = withoutImpossible(grouping.groups, placement)
  const impossible = [...notRendered, ...withoutImpossible(grouping.empty, placement).impossible]
  const named = assignNames(groups, settings, earlierNames(earlier, settings.nodeGroupKey), naming, taken)
  const isEmptied = members.length === 0
  const least = isEmptied ? leastBasis(remembered.values()) : undefined
  const meaning = meaningAmong(groups)
  const { value: stated, findings: statedFindings } = statedSizes({ ...input, groups }, input.flat)
  const rules = stated === undefined ? () => ({ findings: [] }) : rulesOf(stated)
  const usage = policyUsage(
    input.rows ?? [],
    rowOwner(settings, input.namespace),
    input.shares.map(({ container }) => container),
    namesIn(input.pod),
  )
  const ruled = groups.map((group) => ({ group, ...rules(meaning(group, overrideTexts(group)), group.rule) }))
  const sized = ruled.map(({ group, ...rule }) => {
    const before = remembered.get(group.id)
    const chosen = chooseBasis(group, before?.basis ?? least, settings)
    return sizeGroup(group, chosen, { name: named.names.get(group.id), before }, rule, { ...input, usage })
  })
  const isGrouped = !grouping.findings.some(({ code }) => code === 'TooManyTerms')
  const none = !isGrouped
    ? []
    : isEmptied
      ? emptiedFindings(groups, earlier, fleet, settings, placement)
      : groups.every((group) => group.members.length === 0) && fleet.shapes.length > 0
        ? [finding('NoGroups', `${subject.metadata.name}: no node belongs to a group`)]
        : []
  const findings = [
    ...grouping.findings,
    ...(grouping.groups.length === 0 ? [] : emptyGroupFindings(groups, impossible, settings)),
    ...impossible.map((group) => impossibleFinding(group, settings)),
    ...named.findings,
    ...unusedEntryFindings([...groups, ...grouping.left], settings),
    ...taintedFindings(groups, settings, runsBefore(earlier, settings, input.live)),
    ...spreadFindings(ruled, settings, { placement, isAutoscaled: input.isAutoscaled === true }),
    ...none,
    ...statedFindings,
    ...sized.flatMap((group) => group.findings),
    ...usageFindings(
      sized.flatMap(({ value }) => value ?? []),
      input,
    ),
  ]
  return {
    groups: sized.flatMap(({ value }) => value ?? []),
    without: [...without, ...grouping.without],
    // an inventory without any node is more likely cut than a pool scaled to zero
    isEmptied: none.some(({ code }) => code === 'GroupsKept') && fleet.shapes.some(({ nodeCount }) => nodeCount > 0),
    findings: withSubject(subject, findings),
    ...(grouping.until === undefined ? {} : { until: grouping.until }),
  }
}

/** The sizes of a group: from basis and rule to the budget of the pod, split by shares. */
function sizeGroup(
  group: Group,
  { value: chosen, findings: basisFindings }: Read<ChosenBasis>,
  { name, before }: { name?: GroupName; before?: Remembered },
  { rule, findings: ruleFindings }: ReturnType<ReturnType<typeof rulesOf>>,
  { settings, shares, pod, usage }: SizingInput & { readonly usage: PolicyUsage },
): Read<SizedGroup> {
  const inGroup = ruleFindings.map((one) => withPrefix(nameOfGroup(group), one))
  const findings = [...basisFindings, ...inGroup]
  if (name === undefined || chosen === undefined || rule === undefined) return { findings }
  const budget = budgetOf(chosen.basis, rule, settings.steps)
  const byPercentages = { sizes: splitBudget(budget, shares), traces: budget.traces }
  const { basis } = chosen
  const { sizes, traces, ...made } =
    rule.usage === undefined
      ? byPercentages
      : sizeWithUsage(group, { basis, rule, steps: settings.steps, shares, pod, usage }, byPercentages)
  return {
    value: { ...chosen, group, name, before, budget: { ...budget, traces }, sizes, ...made },
    findings: [...findings, ...zeroSizeFindings(group, sizes), ...raisedLimitFindings(group, { traces }, sizes)],
  }
}

/** `SizeZero` for each amount that rounds to 0: a request of 0 reserves nothing, a limit of 0 is no limit. */
function zeroSizeFindings(group: Group, sizes: readonly ContainerSize[]): Finding[] {
  return sizes.flatMap(({ container, amounts, kept }) =>
    [...amounts]
      .filter(([name, steps]) => steps === 0n && kept?.has(name) !== true)
      .map(([name]) =>
        finding('SizeZero', `${nameOfGroup(group)}: ${name} of container ${container} rounds down to 0`),
      ),
  )
}

const RESOURCE_OF: Partial<Record<PercentageName, string>> = { limitCPU: 'cpu', limitMemory: 'memory' }

/** `LimitRaised` for limits of the pod that bounds and steps raised, and limits of a container that rounding raised. */
function raisedLimitFindings(
  group: Group,
  { traces }: Pick<Budget, 'traces'>,
  sizes: readonly ContainerSize[],
): Finding[] {
  const raised = [
    ...traces.filter(({ decidedBy }) => decidedBy === 'request').map(({ name }) => [name, 'the pod'] as const),
    ...sizes.flatMap(({ container, raised: limits }) =>
      limits.map((name) => [name, `container ${container}`] as const),
    ),
  ]
  return raised.map(([name, whose]) => {
    const sentence = `${nameOfGroup(group)}: the ${RESOURCE_OF[name]} limit of ${whose} is raised to its request`
    return finding('LimitRaised', sentence)
  })
}
