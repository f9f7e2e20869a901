import {
  type CountLine,
  clusterOf,
  earliest,
  indexBy,
  type Line,
  memoOf,
  type NodesLine,
  once,
  type Planned,
  type VariableStep,
  type World,
} from '../../core/index.ts'
import type { Fleet, Live, Nodes, UsageRow } from '../../facts/inventory/index.ts'
import { isWorkloadSnapshot, type SizingSettings } from '../../kinds/index.ts'
import { type Finding, isError, type Read, withSubject } from '../../krm/finding/index.ts'
import { memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { PodSpec } from '../../kube/index.ts'
import { groupLines, missedLines } from './account.ts'
import { choiceByName, keysOfPolicy, notExportedFindings, notNamedFindings, placementFindings } from './checks.ts'
import { hysteresisFindings } from './choose-basis.ts'
import type { Without } from './membership.ts'
import type { Naming } from './name.ts'
import { type Placement, placementOf } from './placement.ts'
import type { Share } from './share.ts'
import { type SizedGroup, sizeGroups } from './size-groups.ts'
import { policyUsage, rowOwner } from './usage/policy-usage.ts'
import { usageLines } from './usage/usage-lines.ts'

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
export interface GroupsInput {
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
  const usage = once(() => policyUsage(world.live(cluster).value?.usage ?? [], rowOwner(settings, namespace)))
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
