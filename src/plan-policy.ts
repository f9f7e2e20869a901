import {
  chooseContainers,
  type DaemonSet,
  findTemplate,
  keepSelector,
  renderDaemonSet,
  seLinuxOf,
  type Template,
} from './daemonset/index.ts'
import { type Finding, finding } from './finding/index.ts'
import { type Fleet, isNodeSource, readFleet } from './inventory/index.ts'
import { newestOf } from './kept.ts'
import { ownerName, ownerOf } from './krm/ownership.ts'
import type { Item, KubernetesObject } from './krm/types.ts'
import type { PodSpec } from './kube/index.ts'
import { ruleOf, type SizingSettings } from './policy/index.ts'
import {
  conflicts,
  copiedInstance,
  disagreement,
  malformed,
  notExported,
  nothing,
  tainted,
  unusedEntries,
} from './policy-checks.ts'
import type { Rendering } from './rendering.ts'
import { earlierNames, ownedBy, type Scope } from './scope/index.ts'
import {
  aliasesOf,
  assignNames,
  type Basis,
  type Budget,
  basisOf,
  budgetOf,
  type ContainerSize,
  deriveEnv,
  type Group,
  type GroupName,
  groupMembers,
  membersOf,
  type Naming,
  type Placement,
  placementOf,
  type Share,
  splitBudget,
  type Without,
} from './sizing/index.ts'

/** A group with everything that was decided for it. */
export interface GroupPlan {
  readonly group: Group
  readonly name: GroupName
  readonly basis: Basis
  readonly budget: Budget
  readonly sizes: readonly ContainerSize[]
  readonly object: KubernetesObject
  /** Where its pods may be. */
  readonly pod: PodSpec
}

/** What a policy comes to; on an error the groups are incomplete and nothing of them may be used. */
export interface PolicyPlan {
  readonly settings: SizingSettings
  readonly template?: Template
  /** The object that is sized. */
  readonly target?: Item
  readonly fleet?: Fleet
  readonly groups: readonly GroupPlan[]
  readonly without: readonly Without[]
  /** What the policy rendered before, in the input or in the earlier output it was given. */
  readonly earlier: readonly Item[]
  readonly findings: readonly Finding[]
  readonly rendering: Rendering
}

/** Plans one policy: template, nodes, groups, names, sizes, DaemonSets. What the run allows does not stop it. */
export function planPolicy(settings: SizingSettings, scope: Scope, past: readonly Item[]): PolicyPlan {
  const decided = decide(settings, scope, past)
  const { template, groups, earlier } = decided
  const objects = groups.map(({ object, group }) => ({
    object,
    file: `${settings.baseName}-groups.yaml`,
    about: group.id,
  }))
  const { subject, enabled } = settings
  return { ...decided, rendering: { subject, enabled, earlier, objects, template: template?.item } }
}

function decide(settings: SizingSettings, scope: Scope, past: readonly Item[]): Omit<PolicyPlan, 'rendering'> {
  const { subject } = settings
  const { template, findings: templateFindings } = findTemplate(scope.items, settings)
  const namespace =
    subject.metadata.namespace ?? template?.daemonSet.metadata.namespace ?? namespaceOfEarlier(settings, scope)
  const earlier = newestOf(ownedBy(settings, scope.items, namespace), ownedBy(settings, past, namespace))
  const start = { settings, template, target: template?.item, groups: [], without: [], earlier }
  if (!settings.enabled) {
    // a DaemonSet that was rendered from is handed back, so without it nothing is removed; a ConfigMap runs no agent
    const isHandedBack = settings.target.kind === 'DaemonSet' && earlier.length > 0
    return { ...start, findings: isHandedBack ? templateFindings : [] }
  }
  const cluster = settings.cluster ?? scope.options.cluster
  const { fleet, findings: fleetFindings } = readFleet(
    scope.items.map(({ object }) => object).filter(isNodeSource),
    cluster,
  )
  const findings = [
    ...templateFindings,
    ...fleetFindings.map((one) => ({ subject, ...one })),
    ...disagreement(settings, scope),
  ]
  if (template === undefined || fleet === undefined) return { ...start, fleet, findings }
  const pod = template.daemonSet.spec.template.spec ?? {}
  const { shares, findings: containerFindings } = chooseContainers(template, settings)
  const placement = placementOf(pod, settings)
  findings.push(
    ...containerFindings,
    ...copiedInstance(template),
    ...conflicts(template, settings),
    ...malformed(placement, settings),
    ...notExported(fleet, placement, settings),
  )
  if (isStopped(findings, scope)) return { ...start, fleet, findings }
  const grouping = groupNodes(fleet, placement, settings, earlier, template.naming)
  findings.push(...grouping.findings)
  const { names } = grouping
  const groups: GroupPlan[] = []
  for (const group of grouping.groups) {
    const name = names.get(group.id)
    const planned =
      name === undefined
        ? undefined
        : planGroup(
            { group, aliases: aliasesOf(group, grouping.groups), name, template, placement, shares, settings, earlier },
            findings,
          )
    if (planned !== undefined) groups.push(planned)
  }
  return { ...start, fleet, groups, without: grouping.without, findings }
}

/** The groups of a policy's nodes with their names, and what is said of them. */
export function groupNodes(
  fleet: Fleet,
  placement: Placement,
  settings: SizingSettings,
  earlier: readonly Item[],
  naming: Naming,
): { groups: Group[]; names: Map<string, GroupName>; without: Without[]; findings: Finding[] } {
  const { subject } = settings
  const { members, without } = membersOf(fleet.shapes, placement)
  const grouping = groupMembers(members, settings)
  const named = assignNames(grouping.groups, settings, earlierNames(earlier, settings.nodeGroupKey), naming)
  const findings = [
    ...grouping.findings,
    ...named.findings,
    ...unusedEntries(grouping.groups, settings),
    ...tainted(grouping.groups, settings),
  ]
  if (grouping.groups.length === 0 && fleet.shapes.length > 0)
    findings.push(finding('NoGroups', `${subject.metadata.name}: none of the nodes belongs to a group`, { subject }))
  return { groups: grouping.groups, names: named.names, without: [...without, ...grouping.without], findings }
}

/** Where a disabled policy without namespace rendered to, once its template is gone as well. */
export function namespaceOfEarlier(settings: SizingSettings, { items }: Scope): string | undefined {
  if (settings.enabled) return undefined
  const owner = ownerName('SizingPolicy', settings.subject.metadata.name)
  const found = new Set(
    items.filter(({ object }) => ownerOf(object) === owner).map(({ object }) => object.metadata.namespace),
  )
  return found.size === 1 ? [...found][0] : undefined
}

interface GroupInput {
  group: Group
  aliases: readonly string[]
  name: GroupName
  template: Template
  placement: Placement
  shares: readonly Share[]
  settings: SizingSettings
  earlier: readonly Item[]
}

function planGroup(
  { group, aliases, name, template, placement, shares, settings, earlier }: GroupInput,
  findings: Finding[],
): GroupPlan | undefined {
  const { basis, findings: basisFindings } = basisOf(group)
  const { rule, findings: ruleFindings } = ruleOf(settings, aliases, group.rule)
  const inGroup = (one: Finding) => ({
    subject: settings.subject,
    ...one,
    message: `group ${group.id}: ${one.message}`,
  })
  findings.push(...basisFindings.map((one) => ({ subject: settings.subject, ...one })), ...ruleFindings.map(inGroup))
  if (basis === undefined || rule === undefined) return undefined
  const budget = budgetOf(basis, rule)
  const sizes = splitBudget(budget, shares, rule)
  findings.push(...nothing(group, sizes, settings))
  for (const { container, limitRaised } of sizes) {
    if (limitRaised)
      findings.push(
        finding('LimitRaised', `group ${group.id}: the memory limit of ${container} was raised to its request`),
      )
  }
  const { env, findings: envFindings } = deriveEnv(group.id, sizes, settings)
  const { findings: seLinuxFindings, ...seLinux } = seLinuxOf(group, settings)
  const made = renderDaemonSet(template, { group, name, placement, sizes, env, seLinux }, settings)
  const wanted = made.daemonSet
  const before = earlier.find(({ object }) => object.metadata.name === name.name)
  const { daemonSet, findings: selectorFindings } =
    before === undefined ? { daemonSet: wanted, findings: [] } : keepSelector(wanted, before.object as DaemonSet)
  findings.push(...envFindings, ...seLinuxFindings, ...made.findings, ...selectorFindings)
  return { group, name, basis, budget, sizes, object: daemonSet, pod: daemonSet.spec.template.spec ?? {} }
}

/** Whether findings stop a plan: errors that the run does not allow. */
export function isStopped(findings: readonly Finding[], { options }: Pick<Scope, 'options'>): boolean {
  return findings.some((one) => isError(one) && !options.allow.has(one.code))
}

export function isError({ severity }: Finding): boolean {
  return severity === 'error'
}
