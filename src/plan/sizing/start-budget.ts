/** Sizes that start from today's, for a stated growth of the fleet's requests, in as few groups as that needs. */

import { sizedResources } from '../../core/object/index.ts'
import {
  type Fraction,
  mergeRules,
  type Resource,
  type RuleText,
  rulesOf,
  type SizingSettings,
} from '../../kinds/index.ts'
import type { Read } from '../../krm/finding.ts'
import {
  type Container,
  KubeError,
  type PodSpec,
  podRequests,
  Quantity,
  withDefaultRequests,
} from '../../kube/index.ts'
import { type Basis, chooseBasis } from './basis.ts'
import { type GroupingChoice, runningMembers, settingsBy } from './choose-label.ts'
import { finding } from './codes.ts'
import type { Group } from './group.ts'
import { groupMembers } from './grouping.ts'
import type { Member } from './membership.ts'
import type { Placement } from './placement.ts'
import { budgetOf, type Share, splitBudget } from './size.ts'
import { type Factors, presentAmounts, type StartGroup, type StartRule, startFrom, startGroup } from './start-from.ts'

/** What sizes start from: a pod that runs on the nodes of some groups, and the containers of it that are sized. */
export interface StartInput {
  readonly pod: PodSpec
  readonly shares: readonly Share[]
  readonly groups: readonly Group[]
  readonly settings: SizingSettings
  /** By how much the requests of the pods on all nodes may grow, of each resource: 1/4 for a quarter. */
  readonly growth: Fraction
}

/** By how much requests may grow where nobody says. */
export const QUARTER: Fraction = { numerator: 1n, denominator: 4n }

/** A rule that starts from today's sizes, and how it was found. */
export interface Start extends StartGroup {
  readonly rule: StartRule
  readonly factors: Factors
}

const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const LEAST_TENTHS = 10
const MOST_TENTHS = 40
/** The largest ratio of classes. */
const MOST_RATIO = 16

/**
 * The rule for containers that start from their present sizes on the group with most nodes (`startFrom`): no node gets
 * less than today, and none more than k times that. k is at most 4, one for each resource, lowered in tenths, not below
 * 1, until the sum of the pods' requests over the nodes where they start grows by no more than the budget, and so the
 * sum with the nodes where they only stay; other containers count, and a limit where a request is missing. Errors as
 * `startFrom`, and for an amount of another container that is not a quantity; neither value nor finding where no node
 * with the agent reports its size.
 */
export function startWithin(input: StartInput): Read<Start> {
  try {
    return readStart(input)
  } catch (error) {
    if (error instanceof KubeError)
      return { findings: [finding('InvalidField', `a request cannot be read: ${error.message}`)] }
    throw error
  }
}

function readStart(input: StartInput): Read<Start> {
  const start = startGroup(input.groups, input.settings.basis)
  if (start === undefined) return { findings: [] }
  const resources = presentAmounts(input.pod, input.shares)
  const least = { cpu: LEAST_TENTHS, memory: LEAST_TENTHS }
  const { value: lowest, findings } = startFrom(resources, start.basis, least)
  if (lowest === undefined) return { findings }
  const fleets = [nodesPerBasis(input, runningNodes(input.groups)), nodesPerBasis(input, servedNodes)]
  const before = fleets.map((counts) => sumOf(counts.map(([, count]) => [input.pod, count])))
  const sumsUnder = (rule: RuleText) => {
    const sized = sizer(input, rule)
    return fleets.map((counts) => sumOf(counts.map(([basis, count]) => [sized(basis).pod, count])))
  }
  // a request of 0 beside a limit becomes the least that can be rendered, whatever the factor
  const inevitable = sumsUnder(lowest)
  const fits = (resource: Resource, tenths: number) => {
    const { value: rule = lowest } = startFrom(resources, start.basis, { ...least, [resource]: tenths })
    return sumsUnder(rule).every((after, index) => {
      const [sum, was] = [after[resource], before[index]?.[resource]]
      const isNoMore = sum.compare(inevitable[index]?.[resource] ?? sum) <= 0
      return isNoMore || isWithin(sum.nanoValue(), was?.nanoValue() ?? 0n, input.growth)
    })
  }
  const [cpu = LEAST_TENTHS, memory = LEAST_TENTHS] = RESOURCES.map((resource) =>
    largest(LEAST_TENTHS, MOST_TENTHS, (tenths) => fits(resource, tenths)),
  )
  const factors = { cpu, memory }
  const { value: rule = lowest } = startFrom(resources, start.basis, factors)
  return { value: { ...start, rule, factors }, findings: [] }
}

/** A grouping, its groups, and the rule that sizes them. */
export interface SizedGrouping extends Omit<StartInput, 'growth'> {
  readonly choice: GroupingChoice
  readonly rule: StartRule
  readonly placement: Placement
}

/**
 * Merges groups of equal size as far as the grouping allows, so that no node's size changes: the bound between two
 * ranges of equal size is dropped, and classes get the largest ratio at which every node keeps its size. Values are not
 * merged: a group of several values would restart its pods with each value that joins, which a group of one does not.
 */
export function mergeEqualGroups(input: SizedGrouping): GroupingChoice {
  const { choice } = input
  if ('nodeGroupRanges' in choice) {
    const { label, bounds } = choice.nodeGroupRanges
    return { nodeGroupRanges: { label, bounds: mergedBounds(bounds, input) } }
  }
  return choice.classes === undefined ? choice : coarserClasses(choice, input)
}

/** The bounds whose neighbouring ranges differ in size; the last one where none does, since ranges need one. */
function mergedBounds(bounds: readonly number[], input: SizedGrouping): number[] {
  const texts = sizeTexts(input, input.rule)
  const ranges = input.groups.filter(({ kind }) => kind === 'range').map((group) => texts.get(group))
  const kept = bounds.filter((_, index) => ranges[index] !== ranges[index + 1])
  return kept.length > 0 ? kept : bounds.slice(-1)
}

function coarserClasses(choice: Exclude<GroupingChoice, { nodeGroupRanges: unknown }>, input: SizedGrouping) {
  const { groups, settings, placement, rule } = input
  const members = groups.flatMap((group) => group.members)
  const sizes = memberSizes(input, groups, settings)
  let best: { choice: GroupingChoice; count: number } = { choice, count: groups.length }
  for (let ratio = 3; ratio <= MOST_RATIO; ratio++) {
    const wider = { ...choice, classes: { ratio } }
    const other = settingsBy(wider, settings)
    const made = groupMembers(members, other, { placement, earlier: [] }).groups
    const changed = memberSizes({ ...input, rule }, made, other)
    const isSame = members.every((member) => changed.get(member) === sizes.get(member))
    if (isSame && made.length < best.count) best = { choice: wider, count: made.length }
  }
  return best.choice
}

function memberSizes(input: SizedGrouping, groups: readonly Group[], settings: SizingSettings): Map<Member, string> {
  const texts = sizeTexts({ ...input, groups, settings }, input.rule)
  return new Map(groups.flatMap((group) => group.members.map((member) => [member, texts.get(group) ?? ''] as const)))
}

/** The sizes of each group under a rule, as one text: groups with equal texts have equal sizes. */
export function sizeTexts(input: Omit<StartInput, 'growth'>, rule: RuleText): Map<Group, string> {
  const sized = sizer(input, rule)
  return new Map(
    input.groups.flatMap((group): Array<[Group, string]> => {
      const basis = basisIn(group, input.settings)
      return basis === undefined ? [] : [[group, sized(basis).text]]
    }),
  )
}

/** How many nodes of a group the agent runs on, given the members of all groups. */
export function runningNodes(groups: readonly Group[]): (group: Group) => number {
  const running = new Set(runningMembers(groups.flatMap(({ members }) => members)))
  return ({ members }) => members.reduce((sum, one) => sum + (running.has(one) ? one.nodeCount : 0), 0)
}

type Sized = (basis: Basis) => { readonly pod: PodSpec; readonly text: string }

/** Returns the function that sizes the container under a rule, for a basis. */
function sizer(input: Omit<StartInput, 'groups' | 'growth'>, ruleText: RuleText): Sized {
  const { pod, shares, settings } = input
  const merged = mergeRules([ruleText])
  const { rule } = rulesOf({ ...settings, ruleText: merged, overrides: [] })([])
  return (basis) => {
    if (rule === undefined) return { pod, text: '' }
    const sizes = splitBudget(budgetOf(basis, rule, settings.steps), shares)
    const printedOf = new Map(sizes.map(({ container, printed }) => [container, printed]))
    const sized = (one: Container): Container => {
      const printed = printedOf.get(one.name)
      return printed === undefined ? one : { ...one, resources: sizedResources(one.resources, printed) }
    }
    const sizedPod = { ...pod, containers: pod.containers?.map(sized), initContainers: pod.initContainers?.map(sized) }
    const texts = sizes.flatMap(({ printed }) => [...printed].map((entry) => entry.join('=')))
    return { pod: sizedPod, text: texts.join(' ') }
  }
}

function basisIn(group: Group, settings: SizingSettings): Basis | undefined {
  return chooseBasis(group, undefined, settings).value?.basis
}

/** The nodes of a group, also those where a taint keeps new pods away and running ones may stay. */
function servedNodes({ members }: Group): number {
  return members.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
}

function nodesPerBasis(
  { groups, settings }: StartInput,
  count: (group: Group) => number,
): ReadonlyArray<readonly [Basis, number]> {
  return groups.flatMap((group): Array<[Basis, number]> => {
    const [basis, nodes] = [basisIn(group, settings), count(group)]
    return basis === undefined || nodes === 0 ? [] : [[basis, nodes]]
  })
}

function sumOf(pods: ReadonlyArray<readonly [PodSpec, number]>): Readonly<Record<Resource, Quantity>> {
  const none = Quantity.of(0n, 'DecimalSI')
  return pods.reduce(
    (sum, [pod, count]) => {
      const { cpu = none, memory = none } = podRequests(withDefaultRequests(pod))
      const times = BigInt(count)
      return { cpu: sum.cpu.plus(cpu.times(times)), memory: sum.memory.plus(memory.times(times)) }
    },
    { cpu: none, memory: none },
  )
}

function isWithin(after: bigint, before: bigint, { numerator, denominator }: Fraction): boolean {
  return after * denominator <= before * (denominator + numerator)
}

/** The largest integer of a range for which a predicate holds that fails above it; the first where it never holds. */
function largest(from: number, to: number, holds: (value: number) => boolean): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
