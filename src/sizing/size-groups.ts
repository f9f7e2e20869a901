import { about, type Finding, prefixed } from '../finding/index.ts'
import type { Fleet } from '../inventory/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { regionOfPod } from '../kube/index.ts'
import { ruleOf, type SizingSettings } from '../policy/index.ts'
import { assignNames, type GroupName } from './assign-names.ts'
import { type Basis, basisOf } from './basis.ts'
import { finding } from './codes.ts'
import { earlierNames } from './earlier-names.ts'
import { type Group, meaningAmong, nameOfGroup, overrideTexts } from './group.ts'
import { emptyGroupFindings } from './group-explicit.ts'
import { spreadFindings } from './group-spread.ts'
import { groupMembers } from './grouping.ts'
import { membersOf, type Without } from './membership.ts'
import type { Naming } from './name.ts'
import type { Placement } from './placement.ts'
import { regionOfGroup } from './region-of-group.ts'
import { type ContainerSize, type Share, splitBudget } from './share.ts'
import { type Budget, budgetOf } from './size.ts'

/** A group with its name and sizes, whatever is made of it. */
export interface SizedGroup {
  readonly group: Group
  readonly name: GroupName
  readonly basis: Basis
  readonly budget: Budget
  readonly sizes: readonly ContainerSize[]
}

/** What groups are made of, and how they are called and sized. */
export interface SizingInput {
  readonly fleet: Fleet
  readonly placement: Placement
  readonly settings: SizingSettings
  readonly shares: readonly Share[]
  /** What the policy rendered before: names and labels stay. */
  readonly earlier: readonly Item[]
  /** What others render from the same template: their names and labels are not to be had. */
  readonly taken?: readonly KubernetesObject[]
  readonly naming: Naming
}

/** The groups of a policy's nodes, named and sized, and the nodes that are in none. A group that cannot be sized is left out, with an error. */
export function sizeGroups(input: SizingInput): { groups: SizedGroup[]; without: Without[]; findings: Finding[] } {
  const { fleet, placement, settings, earlier, taken = [], naming } = input
  const { subject } = settings
  const { members, without } = membersOf(fleet.shapes, placement)
  const grouping = groupMembers(members, settings, { placement, earlier, hysteresisPercent: 0 })
  const { groups, impossible } = withoutImpossible(grouping.groups, placement)
  const named = assignNames(groups, settings, earlierNames(earlier, settings.nodeGroupKey), naming, taken)
  const meaning = meaningAmong(groups)
  const sized = groups.map((group) =>
    sizeGroup(group, meaning(group, overrideTexts(group)), named.names.get(group.id), input),
  )
  const isGrouped = !grouping.findings.some(({ code }) => code === 'TooManyTerms')
  const none =
    isGrouped && groups.every((group) => group.members.length === 0) && fleet.shapes.length > 0
      ? [finding('NoGroups', `${subject.metadata.name}: none of the nodes belongs to a group`)]
      : []
  const findings = [
    ...grouping.findings,
    ...(grouping.groups.length === 0 ? [] : emptyGroupFindings(groups, impossible, settings)),
    ...impossible.map((group) => impossibleFinding(group, settings)),
    ...named.findings,
    ...unusedEntries(groups, settings),
    ...taintedFindings(groups, settings),
    ...groups.flatMap((group) => spreadFindings(group, settings)),
    ...none,
    ...sized.flatMap((one) => one.findings),
  ]
  return {
    groups: sized.flatMap(({ value }) => value ?? []),
    without: [...without, ...grouping.without],
    findings: about(subject, findings),
  }
}

/** A group that no node can match is not rendered: template, policy and group contradict each other. */
function withoutImpossible(
  all: readonly Group[],
  placement: Placement,
): { groups: readonly Group[]; impossible: readonly Group[] } {
  const where = regionOfPod(placement)
  const impossible = new Set(all.filter((group) => regionOfGroup(group)?.meets(where) === false))
  return { groups: all.filter((group) => !impossible.has(group)), impossible: [...impossible] }
}

function impossibleFinding(group: Group, { subject }: SizingSettings): Finding {
  const sentence = `${subject.metadata.name}: no node can match ${nameOfGroup(group)} of this template and policy, and it is not rendered`
  return finding('GroupImpossible', sentence)
}

/** The one way from a group to its sizes: basis, rule, budget, shares. */
function sizeGroup(
  group: Group,
  aliases: readonly string[],
  name: GroupName | undefined,
  { settings, shares }: SizingInput,
): { value?: SizedGroup; findings: Finding[] } {
  const { value: basis, findings: basisFindings } = basisOf(group)
  const { rule, findings: ruleFindings } = ruleOf(settings, aliases, group.rule)
  const inGroup = ruleFindings.map((one) => prefixed(nameOfGroup(group), one))
  const findings = [...basisFindings, ...inGroup]
  if (name === undefined || basis === undefined || rule === undefined) return { findings }
  const budget = budgetOf(basis, rule)
  const sizes = splitBudget(budget, shares, rule)
  return {
    value: { group, name, basis, budget, sizes },
    findings: [...findings, ...zeroSizeFindings(group, sizes), ...raisedLimitFindings(group, sizes)],
  }
}

/** A container that gets nothing of a resource: a request of 0 reserves nothing, and a limit of 0 is none. */
function zeroSizeFindings(group: Group, sizes: readonly ContainerSize[]): Finding[] {
  return sizes.flatMap(({ container, amounts }) =>
    [...amounts]
      .filter(([, steps]) => steps === 0n)
      .map(([name]) => finding('SizeZero', `${nameOfGroup(group)}: ${name} of ${container} is less than one step`)),
  )
}

function raisedLimitFindings(group: Group, sizes: readonly ContainerSize[]): Finding[] {
  return sizes
    .filter(({ limitRaised }) => limitRaised)
    .map(({ container }) => {
      const sentence = `${nameOfGroup(group)}: the memory limit of ${container} was raised to its request`
      return finding('LimitRaised', sentence)
    })
}

function unusedEntries(groups: readonly Group[], { overrides, names, subject }: SizingSettings): Finding[] {
  const known = new Set(groups.flatMap(overrideTexts))
  const entries = [
    ...overrides.flatMap((override, index) =>
      override.groups.map((name) => ({ name, path: `spec.overrides.${index}.groups` })),
    ),
    ...Object.keys(names).map((name) => ({ name, path: `spec.names.${name}` })),
  ]
  return entries
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => {
      const sentence = `${subject.metadata.name}: ${path} is for ${name}, which is no group`
      return finding('OverrideUnused', sentence, { field: { path, currentValue: name } })
    })
}

function taintedFindings(groups: readonly Group[], { subject }: SizingSettings): Finding[] {
  return groups.flatMap((group) => {
    const real = group.members.filter(({ declared }) => !declared)
    if (real.length === 0 || real.some(({ mayStart }) => mayStart)) return []
    return [finding('GroupTainted', `${subject.metadata.name}: no node of ${nameOfGroup(group)} takes new pods`)]
  })
}
