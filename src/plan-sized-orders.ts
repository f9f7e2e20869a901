import { findTarget } from './daemonset/index.ts'
import { type Finding, finding } from './finding/index.ts'
import { shrinkFindings } from './guards.ts'
import { isNodeSource, readFleet } from './inventory/index.ts'
import { keep, newestOf } from './kept.ts'
import { ownerName } from './krm/ownership.ts'
import type { Item } from './krm/types.ts'
import { generationsOf, type OrderPlan, planOrder } from './plan-order.ts'
import { type GroupPlan, groupNodes, isError, isStopped, namespaceOfEarlier, type PolicyPlan } from './plan-policy.ts'
import { ruleOf, type SizingSettings } from './policy/index.ts'
import { disagreement, malformed, notExported, nothing } from './policy-checks.ts'
import { type Dialect, isDaemonOrder, readOrder, sizedOrder } from './reservation/index.ts'
import { ownedBy, type Scope } from './scope/index.ts'
import { aliasesOf, basisOf, budgetOf, type Group, type GroupName, placementOf, splitBudget } from './sizing/index.ts'

/** korder names the Tickets of a plain Order by index: room for five digits and a dash. */
const INDEX = 6
const SHARE = [{ container: 'the Ticket', percent: 100 }]

/** A policy whose target is an Order: its groups' Orders, and in DaemonSet mode their Tickets. */
export interface SizedOrdersPlan {
  readonly policy: PolicyPlan
  readonly orders: readonly OrderPlan[]
}

/**
 * Plans an Order for each group. A plain one is applied, with as many replicas as the group has nodes, and has no Tickets of
 * ours; one in DaemonSet mode stays local configuration, and only its Tickets are applied. Never both.
 */
export function planSizedOrders(
  settings: SizingSettings,
  scope: Scope,
  past: readonly Item[],
  dialect: Dialect,
): SizedOrdersPlan {
  const { subject } = settings
  const { item, findings } = findTarget(scope.items, settings)
  const namespace = subject.metadata.namespace ?? item?.object.metadata.namespace ?? namespaceOfEarlier(settings, scope)
  const earlier = newestOf(ownedBy(settings, scope.items, namespace), ownedBy(settings, past, namespace))
  const rendering = { subject, enabled: settings.enabled, earlier, objects: [], template: item }
  const start = { settings, target: item, groups: [], without: [], earlier, rendering }
  const stop = (more: readonly Finding[]) => ({ policy: { ...start, findings: more }, orders: [] })
  if (!settings.enabled) return stop(earlier.length > 0 ? findings : [])
  const read = item === undefined ? undefined : readOrder(item.object)
  const order = read?.settings
  if (item === undefined || order === undefined) return stop([...findings, ...(read?.findings ?? [])])
  const isDaemon = isDaemonOrder(item.object)
  if (isDaemon && order.paused) {
    const kept = keep(earlier, settings.baseName, subject)
    const policy = { ...start, rendering: { ...rendering, objects: kept.objects }, findings: kept.findings }
    return { policy, orders: [] }
  }
  const cluster = settings.cluster ?? scope.options.cluster
  const sources = scope.items.map(({ object }) => object).filter(isNodeSource)
  const { fleet, findings: fleetFindings } = readFleet(sources, cluster)
  const placement = placementOf({ ...order.pod }, settings)
  const found = [
    ...fleetFindings.map((one) => ({ subject, ...one })),
    ...disagreement(settings, scope),
    ...malformed(placement, settings),
    ...(fleet === undefined ? [] : notExported(fleet, placement, settings)),
  ]
  if (fleet === undefined || isStopped(found, scope)) return stop(found)
  const naming = { target: settings.baseName, suffix: '', reserve: isDaemon ? 0 : INDEX }
  const grouping = groupNodes(fleet, placement, settings, earlier, naming)
  found.push(...grouping.findings)
  const groups: GroupPlan[] = []
  const orders: OrderPlan[] = []
  for (const group of grouping.groups) {
    const name = grouping.names.get(group.id)
    const sized =
      name === undefined ? undefined : sizeGroup(group, grouping.groups, name, item, placement, settings, found)
    if (sized === undefined) continue
    groups.push(sized)
    if (!isDaemon) continue
    const own = readOrder(sized.object)
    found.push(...own.findings)
    if (own.settings !== undefined) {
      const nodes = new Set(group.members.flatMap((member) => member.nodes))
      const part = { owner: ownerName('SizingPolicy', subject.metadata.name), nodes, earlier, cluster }
      orders.push(planOrder({ ...own.settings, subject }, scope, past, dialect, part))
    }
  }
  found.push(...orders.flatMap((one) => one.findings))
  if (isDaemon) found.push(...checkNodes(settings, earlier, orders, scope))
  const file = `${settings.baseName}-groups.yaml`
  const objects = [
    ...groups.map(({ object, group }) => ({ object, file, about: group.id })),
    ...orders.flatMap((one) => one.rendering.objects),
  ]
  const policy = {
    ...start,
    fleet,
    groups,
    without: grouping.without,
    findings: found,
    rendering: { ...rendering, objects },
  }
  return { policy, orders }
}

/** The Tickets of all groups together: a group that is gone takes its own along. */
function checkNodes(
  { subject }: SizingSettings,
  earlier: readonly Item[],
  orders: readonly OrderPlan[],
  { options }: Scope,
): Finding[] {
  const now = orders.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const { name } = subject.metadata
  const findings = shrinkFindings({ name, subject }, generationsOf(earlier).size, now, options.guards)
  const isRead = orders.length > 0 && orders.every(({ findings: own }) => !own.some(isError))
  if (isRead && now === 0)
    findings.push(finding('NoEligibleNodes', `${name}: none of the nodes is eligible`, { subject }))
  return findings
}

function sizeGroup(
  group: Group,
  all: readonly Group[],
  name: GroupName,
  item: Item,
  placement: ReturnType<typeof placementOf>,
  settings: SizingSettings,
  found: Finding[],
): GroupPlan | undefined {
  const { subject } = settings
  const { basis, findings } = basisOf(group)
  const { rule, findings: ruleFindings } = ruleOf(settings, aliasesOf(group, all), group.rule)
  found.push(
    ...[...findings, ...ruleFindings].map((one) => ({ subject, ...one, message: `group ${group.id}: ${one.message}` })),
  )
  if (basis === undefined || rule === undefined) return undefined
  const budget = budgetOf(basis, rule)
  const sizes = splitBudget(budget, SHARE, rule)
  found.push(...nothing(group, sizes, settings))
  const [size] = sizes
  if (size === undefined) return undefined
  if (size.printed.size === 0)
    found.push(finding('SizeZero', `group ${group.id}: no percentage is set, so nothing is reserved`, { subject }))
  const object = sizedOrder(item.object, { group, name, placement, size }, settings)
  return {
    group,
    name,
    basis,
    budget,
    sizes,
    object,
    pod: { nodeSelector: object.spec.template.spec.nodeSelector, affinity: object.spec.template.spec.affinity },
  }
}
