import { readFleet, type UsageRow } from '../../facts/inventory/index.ts'
import {
  CONFIG_MAP_DEFAULTS,
  type Fraction,
  NODEFIT,
  nearest,
  readSizingPolicy,
  SIZING_POLICY_DEFAULTS,
  type SizingSettings,
} from '../../kinds/index.ts'
import type { Finding, Read } from '../../krm/finding.ts'
import { newItem } from '../../krm/item.ts'
import { SIZE_LABEL } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isDns1123Subdomain } from '../../kube/index.ts'
import {
  findTemplate,
  firstContainer,
  type LeaveReason,
  leaveReason,
  type OperatorValues,
  type Template,
} from '../../plan/daemonset/index.ts'
import {
  chooseClasses,
  chooseGrouping,
  classesOf,
  type Factors,
  firstNames,
  type Group,
  type GroupingChoice,
  groupMembers,
  HOSTNAME,
  type Member,
  membersOf,
  mergeEqualGroups,
  type Placement,
  placementKeys,
  placementOf,
  plainName,
  QUARTER,
  rangeChoices,
  runningContainers,
  runningNodes,
  type StartGroup,
  sanitize,
  sizeTexts,
  startHeap,
  startWithin,
} from '../../plan/sizing/index.ts'
import { UserError } from '../files/user-error.ts'
import type { AgentLook } from './first-look.ts'
import { firstRows, sizedContainers } from './first-rows.ts'
import { leaveByUse } from './look-words.ts'

/** A first policy of a target, and how it was made. */
export interface FirstPolicy {
  readonly policy: KubernetesObject
  /** The sized container; undefined for the template of Kubescape's chart, which defines it. */
  readonly container?: string
  /** The group whose nodes it starts from; undefined for Kubescape's template. */
  readonly start?: StartGroup
  /** The group whose nodes the percentages are of, before equal groups were merged. */
  readonly startsFrom?: Group
  /** How many tenths of its present amounts the container gets at most; undefined for Kubescape's template. */
  readonly factors?: Factors
  /** The label keys that policy and template select nodes by: the inventory must export them. */
  readonly labelKeys: readonly string[]
  /** The names of the objects of its groups. */
  readonly names: readonly string[]
  /** Why the target is better left alone, if it is. */
  readonly leave?: LeaveReason
  /** What it was made of; undefined where nothing is known of its use, and today's sizes are what it starts from. */
  readonly look?: AgentLook
  /** The rows of usage that give its groups their sizes, as seen at a time. */
  readonly rows?: (at: Date) => readonly UsageRow[]
}

/** What a first policy depends on besides target and nodes. */
export interface Choices {
  readonly cluster?: string
  /** The label to group by, `classes` or `ranges`, with --group-by. */
  readonly groupBy?: string
  /** By how much the requests of all nodes may grow, with --budget; a quarter if it is not given. */
  readonly growth?: Fraction
  /** The values of Kubescape's operator, for its template. */
  readonly operator?: OperatorValues
  /** What the first look at the cluster says of the target. */
  readonly look?: AgentLook
  /** The names of objects that other policies render in the namespace of the target. */
  readonly taken?: ReadonlySet<string>
}

/**
 * A policy that keeps today's sizes: grouped by --group-by or as suits the nodes, with the sizes of the target on the
 * nodes of its largest group, and more on larger nodes as far as the budget allows. For the template of Kubescape's
 * chart it has the label and sizes of the operator. Throws `UserError` where the target, its nodes or the grouping do
 * not allow one.
 */
export function firstPolicy(target: KubernetesObject, nodes: readonly Item[], choices: Choices): FirstPolicy {
  checkName(target)
  const draft = readOrFail(settingsOf(draftOf(target, choices.cluster, {})))
  const items = [newItem(target)]
  const template = readOrFail(findTemplate(items, items, draft))
  const pod = template.daemonSet.spec.template.spec ?? {}
  const placement = placementOf(pod, draft)
  const fleet = readOrFail(
    readFleet(
      nodes.map(({ object }) => object),
      choices.cluster,
    ),
  )
  const { members } = membersOf(fleet.shapes, placement)
  if (members.every(({ declared }) => declared))
    throw new UserError(
      `${target.metadata.name} runs on none of the nodes: correct its nodeSelector and affinity, or leave it out`,
    )
  const context = { target, choices, members, placement, template }
  if (target.kind === 'ConfigMap') return kubescapePolicy(context)
  return choices.look === undefined ? sizedPolicy(context, draft) : policyByUse(context, choices.look)
}

interface Context {
  readonly target: KubernetesObject
  readonly choices: Choices
  readonly members: readonly Member[]
  readonly placement: Placement
  readonly template: Template
}

function kubescapePolicy(context: Context): FirstPolicy {
  const { target, choices, members, placement } = context
  const { operator, groupBy, cluster } = choices
  const usual = { nodeGroupLabel: String(operator?.nodeGroupLabel ?? SIZING_POLICY_DEFAULTS.nodeGroupLabel) }
  const grouping = groupBy === undefined ? usual : firstGrouping(members, groupBy)
  const spec = operatorSpec(grouping, operator)
  const { groups } = groupsBy(spec, context)
  const { fields, names } = namesFor(groups, context, operatorNames(groups, context))
  const policy = draftOf(target, cluster, { ...spec, ...fields })
  return { policy, names, labelKeys: [...placementKeys(placement), labelOf(grouping)] }
}

function sizedPolicy(context: Context, draft: SizingSettings): FirstPolicy {
  const { target, choices, members, placement, template } = context
  const { name } = target.metadata
  const pod = template.daemonSet.spec.template.spec ?? {}
  const container = sizedContainer(template, draft)
  const choice = firstGrouping(members, choices.groupBy)
  const { groups, settings } = groupsBy(choice, context)
  const input = { pod, shares: [{ container: container.name, percent: 100 }], groups, settings }
  const { value: start, findings } = startWithin({ ...input, growth: choices.growth ?? QUARTER })
  if (findings.length > 0) throw new UserError(`container ${container.name} of ${name}: ${sentencesOf(findings)}`)
  if (start === undefined) throw new UserError(`no node that ${name} runs on reports allocatable cpu and memory`)
  const isEqual = hasEqualSizes(groups, sizeTexts(input, start.rule))
  const grouping = isEqual ? choice : mergeEqualGroups({ ...input, choice, rule: start.rule, placement })
  const merged = groupsBy(grouping, context).groups
  const isOnly = (pod.containers ?? []).length === 1
  const heap = startHeap(container, start.rule, start.basis.memory)
  const { fields, names } = namesFor(merged, context)
  const spec = {
    ...grouping,
    ...fields,
    ...(isOnly ? {} : { containers: [{ name: container.name, share: 100 }] }),
    ...start.rule,
    ...(heap === undefined ? {} : { goMemLimitPercentage: heap }),
  }
  return {
    policy: draftOf(target, choices.cluster, spec),
    container: container.name,
    start: { group: groupAround(start, merged), basis: start.basis, statistic: 'smallest' },
    startsFrom: start.group,
    factors: start.factors,
    names,
    labelKeys: [...placementKeys(placement), labelOf(grouping)],
    leave: leaveReason(target, pod, container) ?? (isEqual ? nothingToGain(grouping) : undefined),
  }
}

/** A policy whose groups have the sizes that the first look at their use gives them: as rows, without percentages. */
function policyByUse(context: Context, look: AgentLook): FirstPolicy {
  const { target, choices, members, placement, template } = context
  const { name, namespace } = target.metadata
  const pod = template.daemonSet.spec.template.spec ?? {}
  const choice = choices.groupBy === undefined ? groupingOf(look, members) : firstGrouping(members, choices.groupBy)
  const sized = sizedContainers(look)
  const running = runningContainers(pod).map((container) => container.name)
  const usage = { updateMode: sized.length > 0 ? 'Auto' : 'Off' }
  const containers = running.length > 1 ? { containers: withShares(sized.length > 0 ? sized : running) } : {}
  const { groups } = groupsBy({ ...choice, ...containers, usage }, context)
  const { fields, names } = namesFor(groups, context)
  const policy = namespace === undefined ? name : `${namespace}/${name}`
  return {
    policy: draftOf(target, choices.cluster, { ...choice, ...fields, ...containers, usage }),
    ...(sized[0] !== undefined && { container: sized[0] }),
    names,
    labelKeys: [...placementKeys(placement), labelOf(choice)],
    leave: leaveByUse(target, pod, look),
    look,
    rows: (at) =>
      firstRows(look, groups, { policy, at, isYours: look.carrier.isYours === true && labelOf(choice) === SIZE_LABEL }),
  }
}

/** The grouping that the classes of the cluster give, or that suits the nodes where one class serves all. */
function groupingOf({ proposal, carrier }: AgentLook, members: readonly Member[]): GroupingChoice {
  const grouping = carrier.groupingFor(proposal.parts.filter(({ nodes }) => nodes > 0))
  const isDivided = !('nodeGroupRanges' in grouping) || grouping.nodeGroupRanges.bounds.length > 0
  return isDivided ? grouping : (chooseGrouping(members) ?? { nodeGroupLabel: SIZE_LABEL })
}

/** Containers with shares that make 100: no percentage is set, so they decide nothing. */
function withShares(names: readonly string[]) {
  const each = Math.floor(100 / names.length)
  return names.map((name, at) => ({ name, share: at === 0 ? 100 - each * (names.length - 1) : each }))
}

/** Whether all nodes with the agent get equal sizes. */
function hasEqualSizes(groups: readonly Group[], texts: ReadonlyMap<Group, string>): boolean {
  const count = runningNodes(groups)
  return new Set(groups.filter((group) => count(group) > 0).map((group) => texts.get(group))).size <= 1
}

function nothingToGain(grouping: GroupingChoice): LeaveReason {
  return {
    why: `nothing to gain without usage: in groups by ${labelOf(grouping)} every node gets what it has today`,
    next: 'if its nodes differ in what they need, group by another label with --group-by, or give it a larger --budget',
    isOfGrouping: true,
  }
}

/** The group that the nodes of the start are in when equal groups are merged. */
function groupAround({ group }: StartGroup, merged: readonly Group[]): Group {
  const [member] = group.members
  return merged.find(({ members }) => member !== undefined && members.includes(member)) ?? group
}

function groupsBy(spec: object, { target, choices, members, placement }: Context) {
  const settings = readOrFail(settingsOf(draftOf(target, choices.cluster, spec)))
  return { groups: groupMembers(members, settings, { placement, earlier: [] }).groups, settings }
}

function namesFor(groups: readonly Group[], { template, choices }: Context, more: readonly string[] = []) {
  return firstNames(groups, template.naming, new Set([...(choices.taken ?? []), ...more]))
}

/**
 * The name by which the operator runs the nodes with an empty label value, where there are some: the default group
 * cannot have it, since the selector of that DaemonSet cannot change. Where a pool has the name too, the operator adds
 * hashes to both.
 */
function operatorNames(groups: readonly Group[], { template }: Context): string[] {
  const ofEmpty = sanitize('')
  const isEmpty = groups.some(({ value, members }) => value === '' && members.length > 0)
  const isMet = groups.some(({ kind, namePart }) => kind !== 'default' && namePart === ofEmpty)
  return isEmpty && !isMet ? [plainName(template.naming, ofEmpty)] : []
}

/**
 * The values of the operator, with its defaults. Its label is kept where no node has it: all nodes are then in the
 * default group, which has the name that the operator gives it.
 */
function operatorSpec(grouping: GroupingChoice, operator: OperatorValues = {}): object {
  const { resourcePercentages, minResources, maxResources } = CONFIG_MAP_DEFAULTS
  const {
    nodeGroupLabel: _,
    resourcePercentages: percentages,
    minResources: min,
    maxResources: max,
    ...others
  } = operator
  return {
    ...grouping,
    resourcePercentages: { ...resourcePercentages, ...percentages },
    minResources: { ...minResources, ...min },
    maxResources: { ...maxResources, ...max },
    ...others,
  }
}

/** Throws for an invalid name: files are named after the target. */
function checkName({ kind, metadata }: KubernetesObject): void {
  const name: unknown = metadata.name
  if (typeof name !== 'string') throw new UserError(`a ${kind} has no name`)
  if (!isDns1123Subdomain(name)) throw new UserError(`"${name}" is not a valid name of a ${kind}`)
}

function draftOf({ apiVersion, kind, metadata }: KubernetesObject, cluster: string | undefined, spec: object) {
  const { name, namespace } = metadata
  return {
    apiVersion: NODEFIT,
    kind: 'SizingPolicy',
    metadata: {
      name: kind === 'ConfigMap' ? 'node-agent' : name,
      ...(namespace === undefined ? {} : { namespace }),
      annotations: { 'config.kubernetes.io/local-config': 'true' },
    },
    spec: { ...(cluster === undefined ? {} : { cluster }), targetRef: { apiVersion, kind, name }, ...spec },
  }
}

function settingsOf(policy: KubernetesObject): Read<SizingSettings> {
  const { settings, findings } = readSizingPolicy(policy)
  return { value: settings, findings }
}

function sizedContainer({ daemonSet }: Template, { baseName }: SizingSettings) {
  const { containers = [], initContainers } = daemonSet.spec.template.spec ?? {}
  const name = firstContainer(daemonSet.spec.template.spec ?? {}, baseName)
  const found = [...containers, ...(initContainers ?? [])].find((container) => container.name === name)
  if (found === undefined) throw new Error('a template has containers')
  return found
}

function labelOf(grouping: GroupingChoice): string {
  return 'nodeGroupRanges' in grouping ? grouping.nodeGroupRanges.label : grouping.nodeGroupLabel
}

function readOrFail<Value>({ value, findings }: Read<Value>): Value {
  const problem = findings.find(({ severity }) => severity === 'error')
  if (value === undefined || problem !== undefined) throw new UserError(problem?.message ?? 'the input cannot be read')
  return value
}

function sentencesOf(findings: readonly Finding[]): string {
  return findings.map(({ sentence }) => sentence).join('; ')
}

/**
 * The grouping of a first policy: as --group-by asks, else as suits the nodes (`chooseGrouping`). A label is grouped by
 * value, host names by classes, integers that grow with node size by ranges. Throws `UserError` where the nodes have
 * nothing to group by in that way.
 */
function firstGrouping(members: readonly Member[], asked: string | undefined): GroupingChoice {
  const known = [...new Set(members.flatMap(({ shape }) => Object.keys(shape.labels)))].sort()
  const have = `the nodes have ${known.join(', ') || 'none'}`
  if (asked === undefined) {
    const chosen = chooseGrouping(members)
    if (chosen !== undefined) return chosen
    throw new UserError(
      `nodefit knows no label of the nodes that tells their types apart: choose one with --group-by KEY; ${have}`,
    )
  }
  if (asked === 'classes') {
    const classes = chooseClasses(members)
    if (classes !== undefined) return classes
    throw new UserError(
      '--group-by classes: no instance type tells node sizes apart, and the names of these nodes come and go with them: group by a label with --group-by KEY',
    )
  }
  if (asked === 'ranges') {
    const [ranges] = rangeChoices(members)
    if (ranges !== undefined) return ranges
    throw new UserError(`--group-by ranges: no label of the nodes is a number that grows with their size; ${have}`)
  }
  if (!known.includes(asked)) {
    const guess = nearest(asked, [...known, 'classes', 'ranges'])
    const hint = guess === undefined ? `; ${have}` : `; did you mean ${guess}?`
    throw new UserError(`--group-by ${asked}: no node that the agent runs on has this label${hint}`)
  }
  if (asked === HOSTNAME) return classesOf(HOSTNAME)
  const labelled = members.filter(({ shape }) => Object.hasOwn(shape.labels, asked))
  const isOfAsked = (choice: GroupingChoice) => 'nodeGroupRanges' in choice && choice.nodeGroupRanges.label === asked
  return rangeChoices(labelled).find(isOfAsked) ?? { nodeGroupLabel: asked }
}
