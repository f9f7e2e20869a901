import {
  type CountLine,
  clusterOf,
  countNodes,
  demandOf,
  earlierOf,
  earliest,
  emptyPlanned,
  indexBy,
  kindOfGroup,
  type Line,
  memoOf,
  type NodesLine,
  nodesLine,
  once,
  type PercentageStep,
  type Planned,
  type Rendered,
  type UsedTexts,
  type VariableStep,
  type World,
} from '../../core/index.ts'
import { findTarget, podSpecOf, rememberedNodes } from '../../core/object/index.ts'
import {
  type Fleet,
  type Live,
  mergeNodes,
  type Nodes,
  nodeCountOf,
  type UsageRow,
} from '../../facts/inventory/index.ts'
import type { Known } from '../../facts/usage/index.ts'
import { isWorkloadSnapshot, PERCENTAGES, type SizingSettings } from '../../kinds/index.ts'
import { type Finding, isError, type Read, withSubject } from '../../krm/finding.ts'
import { memberOf } from '../../krm/map.ts'
import { markedGroup, releaserOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { PodSpec } from '../../kube/index.ts'
import { hysteresisFindings, smallestNode } from './basis.ts'
import { finding } from './codes.ts'
import { nodesOfGroup } from './group.ts'
import {
  choiceByName,
  keysOfPolicy,
  notExportedFindings,
  notNamedFindings,
  placementFindings,
} from './group-findings.ts'
import type { Without } from './membership.ts'
import type { Naming } from './names.ts'
import { type Placement, placementOf } from './placement.ts'
import type { Share, Trace } from './size.ts'
import { type SizedGroup, sizeGroups } from './size-groups.ts'
import { usedText } from './usage/amounts.ts'
import { usageLines } from './usage/findings.ts'
import { namesIn, type PolicyUsage, policyUsage, rowOwner } from './usage/policy-usage.ts'

/** A sized group, and what was rendered under its name before. */
export interface GroupToRender extends SizedGroup {
  readonly present?: KubernetesObject
}

/** What objects are rendered with, besides their group. */
export interface GroupContext {
  readonly fleet: Fleet
  readonly placement: Placement
  /** Groups that cannot be sized are missing; then there are errors. */
  readonly groups: readonly GroupToRender[]
  /** The nodes that are in no group. */
  readonly without: readonly Without[]
}

/** What a renderer makes of the groups of a policy. */
export interface RenderedGroups extends Nodes, Pick<Planned, 'objects' | 'until' | 'holes' | 'demand' | 'servesNone'> {
  readonly findings: readonly Finding[]
  /** What is counted in place of nodes. */
  readonly served?: CountLine
  /** Nodes that are left without, beside those in no group, and those of `without` that count so. */
  readonly missed: {
    readonly words: string
    readonly without: readonly Without[]
    readonly lines?: readonly NodesLine[]
  }
  readonly more?: readonly Line[]
  /** The variables that are computed from the amounts of a group, by its id. */
  readonly variables?: ReadonlyMap<string, readonly VariableStep[]>
}

/** What the groups of a policy are planned from, whatever is rendered for them. */
interface GroupsInput {
  readonly settings: SizingSettings
  readonly world: World
  /** The plan so far: subject, source and earlier output. */
  readonly start: Planned
  /** The pod of the source, and the checks of the source. */
  readonly pod: PodSpec
  /** The pod with the containers that are sized, where that is another. */
  readonly sized?: PodSpec
  readonly findings: readonly Finding[]
  readonly naming: Naming
  readonly shares: readonly Share[]
  /** Objects of others made of the same source: their names and labels are taken. */
  readonly taken?: readonly KubernetesObject[]
  /** Whether earlier objects show the basis that hysteresis goes by. */
  readonly showsBasis: boolean
  /** The namespace of what is rendered, where that is known. */
  readonly namespace?: string
  /** Why the names of nodes are needed, beyond what the placement asks for. */
  readonly whyNames?: string
  /** Whether anything else stops the plan. */
  readonly isStopped?: boolean
  /** Renders the objects of the groups. */
  render(context: GroupContext): RenderedGroups
}

/**
 * Plans an object for each node group of a policy: checks what the policy refers to, groups and sizes its nodes,
 * renders, and gives the account. Without a fleet, or with findings that stop it, it is the plan so far with these.
 */
export function planGroups(input: GroupsInput): { planned: Planned; groups: readonly SizedGroup[]; fleet?: Fleet } {
  const { settings, world, start, pod, naming, shares, taken, showsBasis } = input
  const { subject } = settings
  const placement = placementOf(pod, settings)
  const nodes = world.fleet(settings.cluster ?? world.options.cluster)
  const { value: fleet, findings: fleetFindings } = nodes
  const byName = input.whyNames ?? choiceByName(pod, placement)
  const found = [
    ...input.findings,
    ...placementFindings(pod, placement, settings, world.options.cluster),
    ...(fleet === undefined ? [] : notExportedFindings(fleet, keysOfPolicy(placement, settings), subject)),
    ...hysteresisFindings(settings, showsBasis),
    ...(fleet === undefined ? [] : notNamedFindings(fleet, byName, subject)),
  ]
  if (fleet === undefined || input.isStopped === true || world.stops([...found, ...fleetFindings]))
    return { planned: { ...start, facts: { fleets: [nodes] }, findings: found }, groups: [] }
  const isAutoscaled = world.options.autoscaler !== undefined
  const { flat } = world
  const { earlier } = start
  const cluster = clusterOf(fleet, settings, world)
  const isSized = hasUsage(settings)
  const seen = isSized || showsNodes(world) ? world.live(cluster) : undefined
  const live = seen?.value?.nodes ?? []
  const sizedPod = input.sized ?? pod
  const rows = isSized && seen !== undefined ? usageIn(seen) : undefined
  const { namespace } = input
  const { now } = world
  const sized = sizeGroups({
    ...{ fleet, placement, settings, shares, earlier, taken, naming, isAutoscaled, flat, live },
    ...{ rows, namespace, now },
    pod: sizedPod,
  })
  const present = indexBy(earlier, ({ object }) => object.metadata.name)
  const groups = sized.groups.map((group) => ({ ...group, present: present.get(group.name.name)?.[0]?.object }))
  const made = input.render({ fleet, placement, groups, without: sized.without })
  const { served, missed, more = [], variables, findings, ...rendered } = made
  const usage = once(() =>
    policyUsage(
      world.live(cluster).value?.usage ?? [],
      rowOwner(settings, namespace),
      shares.map(({ container }) => container),
      namesIn(pod),
    ),
  )
  const account = [
    ...groupLines(sized.groups, { served, variables, usage }),
    ...usageLines(sized.groups, subject.metadata.name),
    ...missedLines(missed.without, missed.words, missed.lines),
    ...more,
  ]
  const all = withSubject(subject, [...found, ...sized.findings, ...findings])
  const { isEmptied } = sized
  const until = earliest([rendered.until, sized.until])
  const facts = { fleets: [nodes], lives: seen === undefined ? [] : [seen] }
  const planned = { ...start, ...rendered, facts, cluster, account, findings: all, isEmptied, until }
  return { planned, groups: sized.groups, fleet }
}

/** The rows of usage; none of a snapshot that cannot be read, which is an error of its own. */
function usageIn({ value, findings }: Read<Live>): readonly UsageRow[] | undefined {
  return value?.usage ?? (findings.some(isError) ? [] : undefined)
}

/** Whether usage sizes any group of a policy, or it is to be said what it would change. */
function hasUsage({ ruleText, explicitGroups, overrides }: SizingSettings): boolean {
  return [ruleText, ...explicitGroups, ...overrides].some(({ usage }) => usage !== undefined)
}

const SHOWN = ['nodes', 'daemonSets', 'namespaces', 'pending']

/** Whether a snapshot of the package records what runs, or waits for a node; others are read for usage alone. */
const showsNodes = memoOf(({ items }: World) =>
  items.some(
    ({ object }) => isWorkloadSnapshot(object) && SHOWN.some((part) => Array.isArray(memberOf(object.spec, part))),
  ),
)

/** What the lines of groups are made of besides their sizes. */
interface GroupFacts {
  /** Replaces the node count where not every node is served. */
  readonly served?: CountLine
  /** The variables of a group, by its id. */
  readonly variables?: ReadonlyMap<string, readonly VariableStep[]>
  /** Returns what snapshots know of usage; asked by a view alone. */
  readonly usage: () => PolicyUsage
}

/** The counts of groups and nodes, and a line for each group. */
export function groupLines(groups: readonly SizedGroup[], { served, variables, usage }: GroupFacts): Line[] {
  const real = groups.filter(({ group }) => group.kind !== 'remainder' && group.members.length > 0)
  const nodes = groups.reduce((sum, { group }) => sum + nodesOfGroup(group).nodeCount, 0)
  return [
    { kind: 'count', count: real.length, noun: 'group' },
    served ?? { kind: 'count', count: nodes, noun: 'node' },
    ...groups.map((sized): Line => {
      const { group, name, budget } = sized
      const made = [...budget.traces.map((trace) => stepOf(trace, sized)), ...(sized.usage?.steps ?? [])]
      const steps = PERCENTAGES.flatMap((amount) => made.filter((step) => step.name === amount))
      const { id, kind: groupKind, aliases } = group
      const node = smallestNode(group)
      const own = variables?.get(id) ?? []
      const head = { id, groupKind, aliases, name: name.name, ...nodesOfGroup(group) }
      const usedBy = (container: string) => usedTexts(usage().of(container, id)?.seen?.used)
      return { kind: 'group', ...head, node, steps, ...(own.length === 0 ? {} : { variables: own }), usedBy }
    }),
  ]
}

function usedTexts({ cpu, memory }: NonNullable<Known['seen']>['used'] = {}): UsedTexts {
  return {
    ...(cpu === undefined ? {} : { cpu: usedText('cpu', cpu) }),
    ...(memory === undefined ? {} : { memory: usedText('memory', memory) }),
  }
}

/**
 * Lines for the nodes without an agent, worded by `missedBy`, and for nodes of a group where no new pod starts: first
 * the two counts, then the nodes by reason.
 */
export function missedLines(without: readonly Without[], missedBy: string, others: readonly NodesLine[] = []): Line[] {
  const lines = (mayStay: boolean, code: NodesLine['code'], words: string): NodesLine[] =>
    without
      .filter((nodes) => nodes.mayStay === mayStay)
      .map((nodes) => nodesLine({ code, words, reason: nodes.reason }, nodes))
  const missed = [...lines(false, 'NodesWithoutAgent', missedBy), ...others]
  const closed = lines(true, 'NoNewPods', NO_NEW_POD)
  const counts = [countNodes(missed, missedBy), countNodes(closed, NO_NEW_POD)]
  return [...counts.filter(({ count }, index) => index === 0 || count > 0), ...missed, ...closed]
}

const NO_NEW_POD = 'where no new pod starts'

function stepOf(trace: Trace, { sizes, from, now }: SizedGroup): PercentageStep {
  const printed = trace.printed ?? sizes.map((size) => size.printed.get(trace.name)).join(' + ')
  return { ...trace, kind: 'percentage', from, now: now?.[trace.resource].toString(), printed }
}

/** The state that views show of a suspended policy. */
const SUSPENDED: Line = { kind: 'state', state: 'suspended' }

/**
 * The plan of a suspended policy: its earlier output, unchanged, whatever changed in nodes, template and policy. Only
 * its target is read, so that it stays marked as local-config. `NeedsEarlierOutput` where the input has no earlier
 * output.
 */
export function planSuspended(
  subject: Item,
  settings: SizingSettings,
  world: World,
  keep: (object: KubernetesObject) => Rendered,
): Planned {
  const { value: source } = findTarget(world.named(settings.target), world.items, settings)
  const earlier = earlierOf(settings, source?.object, world)
  const ours = earlier.filter(({ object }) => releaserOf(object) === undefined)
  const objects = ours.map(({ object }) => {
    const kept = keep(object)
    // today's nodes are not read: those that it had when it was written
    const nodeCount = rememberedNodes(object) ?? kept.nodeCount
    return { ...kept, group: keptGroup(object), nodeCount, isKept: true }
  })
  const groups = objects.filter(({ object, group }) => {
    return group !== undefined && group.kind !== 'remainder' && rememberedNodes(object) !== 0
  }).length
  const { name } = settings.subject.metadata
  const field = { path: 'spec.suspend', currentValue: true }
  const missing = `${name} is suspended, but the input holds none of its earlier output`
  return emptyPlanned({
    subject,
    isSuspended: true,
    source,
    earlier,
    objects,
    // kept DaemonSets run on every new node, too
    demand: objects
      .filter(({ object }) => object.kind === 'DaemonSet')
      .map(({ object }) => demandOf('pod', object.metadata.name, podSpecOf(object))),
    ...mergeNodes(objects),
    account: [
      SUSPENDED,
      { kind: 'count', count: groups, noun: 'group' },
      { kind: 'count', count: nodeCountOf(objects), noun: 'node' },
    ],
    findings: objects.length > 0 ? [] : [finding('NeedsEarlierOutput', missing, { subject: settings.subject, field })],
  })
}

/** The group that a kept object was rendered for. */
function keptGroup(object: KubernetesObject): Rendered['group'] {
  const kind = kindOfGroup(object)
  return kind === undefined ? undefined : { id: String(markedGroup(object)), kind }
}
