import { indexBy, kindOfGroup, memo, type Planned, type World } from '../core/index.ts'
import { rememberedCluster, rememberedClusterUid, rememberedNodes } from '../core/object/index.ts'
import { mergeNodes } from '../facts/inventory/index.ts'
import { type Change, type PlannedChanges, placementKeys } from '../fate/index.ts'
import type { Guards } from '../kinds/index.ts'
import { codesAbout, type Finding, findingOf, listNames, plural } from '../krm/finding.ts'
import { isDeepEqual } from '../krm/map.ts'
import { markedGroup, markedNode, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Changes and guards', {
  GuardTripped: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'A run would remove more of the earlier output than its guards allow: an inventory may be truncated or of another cluster.',
    mend: 'Check the inventory. If the change is intended, raise the guard in spec.guards of a RenderConfig, or allow GuardTripped for this run.',
  },
  OutputOfOtherCluster: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'The earlier output was rendered for another cluster than the nodes’, by name or by uid: an inventory is in the wrong package, or a cluster was replaced.',
    mend: 'Restore the inventory of the earlier cluster; if the cluster was renamed or replaced, allow OutputOfOtherCluster for one run (docs/deliver/replace-cluster.md).',
  },
  GuardsNotChecked: {
    roles: ['shown', 'package'],
    severity: 'info',
    meaning: 'The input has no earlier output, or it records no node counts.',
    mend: '',
  },
})
const finding = findingOf(CODES)

export const guards = {
  codes: CODES,
  check: ({ planned, orphaned, world }) => guardFindings(planned, orphaned, world),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  GuardTripped: { why: 'it takes the output of an earlier run' },
  OutputOfOtherCluster: `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent-m5-large
  annotations:
    nodefit.dev/owner: SizingPolicy/agent
    nodefit.dev/group: value:m5.large
    nodefit.dev/cluster: other
  labels: { nodefit.dev/node-group: m5.large }
spec:
  selector: { matchLabels: { app: agent, nodefit.dev/node-group: m5.large } }
  template:
    metadata: { labels: { app: agent, nodefit.dev/node-group: m5.large } }
    spec: { containers: [{ name: agent, image: agent:1 }] }
`,
  GuardsNotChecked: { why: 'it takes a host that shows no earlier output' },
}

/** Limits how much of what was rendered before one run may remove or restart. */

/** Checks every guard against the changes of a package; reports where nothing shows what was rendered before. */
export function guardFindings(
  planned: readonly PlannedChanges[],
  orphaned: readonly Change[],
  world: World,
): Finding[] {
  const { guards } = world.options
  // a suspended policy keeps its objects, whatever its nodes
  const enabled = planned.filter(({ isEnabled, isSuspended }) => isEnabled && !isSuspended)
  const [first] = planned
  const unseen =
    first === undefined || world.isSeen
      ? []
      : [
          finding('GuardsNotChecked', 'the input has no earlier output, so guards are not checked', {
            subject: first.subject.object,
          }),
        ]
  return [
    ...enabled.flatMap((one) => clusterFindings(one, world)),
    ...enabled.flatMap((one) => groupFindings(one, guards)),
    ...shrinkFindings(planned, removedIn(orphaned), world),
    ...enabled.flatMap(forgottenFindings),
    ...unseen,
  ]
}

/**
 * Reports removed groups, their nodes and restarting pods, where they are more than the guards allow. Groups that had
 * no nodes and remainders do not count, and a renamed group is not removed.
 */
function groupFindings(planned: PlannedChanges, guards: Guards): Finding[] {
  const { subject, earlier, objects, changes } = planned
  const { name } = subject.object.metadata
  const tripped = (sentence: string, guard: keyof Guards) =>
    finding('GuardTripped', `${name}: ${sentence}`, {
      subject: subject.object,
      field: { path: `spec.guards.${guard}` },
      mend: keysMend(planned),
    })
  const before = earlier.filter(hadNodes).length
  const groups = new Set(changes.flatMap(({ after }) => (after === undefined ? [] : groupOf(after))))
  const gone = changes.filter(({ kind, before: item }) => {
    return kind === 'removed' && item !== undefined && hadNodes(item) && !groups.has(groupOf(item))
  }).length
  // released objects go on serving their nodes
  const released = releasedIn(planned)
  const nodes = earlier
    .filter((item) => kindOfGroup(item.object) !== 'remainder' && !released.has(item))
    .reduce((sum, { object }) => sum + (rememberedNodes(object) ?? 0), 0)
  const lost = nodes - planned.nodeCount
  const counts = new Map(objects.map(({ object, nodeCount }) => [object.metadata.name, nodeCount]))
  const restarted = changes
    .filter(({ isNeverApplied }) => isNeverApplied !== true)
    .filter(({ kind, before: was, after }) => kind === 'changed' && !isDeepEqual(templateOf(was), templateOf(after)))
    .reduce((sum, { after }) => sum + (counts.get(after?.object.metadata.name ?? '') ?? 0), 0)
  return [
    ...(gone > guards.maxGroupsRemoved(before)
      ? [tripped(`${gone} of ${plural(before, 'group')} would be removed`, 'maxGroupsRemoved')]
      : []),
    ...(lost > guards.maxNodesLost(nodes) && planned.isEmptied !== true && planned.servesNone !== true
      ? [tripped(`its groups had ${plural(nodes, 'node')} and would have ${planned.nodeCount}`, 'maxNodesLost')]
      : []),
    ...(restarted > guards.maxPodsRestarted
      ? [tripped(`${plural(restarted, 'pod')} would restart`, 'maxPodsRestarted')]
      : []),
  ]
}

/**
 * Returns the mend of a guard where the groups select nodes by other labels than before: then the policy or its
 * template changed, and not only the nodes. Undefined where they do not.
 */
function keysMend({ subject: { object }, earlier, objects }: Planned): string | undefined {
  const keysOf = (all: readonly KubernetesObject[]) => [...new Set(all.flatMap(placementKeys))].sort()
  const [before, now] = [keysOf(earlier.map((item) => item.object)), keysOf(objects.map((one) => one.object))]
  if (before.length === 0 || now.length === 0 || isDeepEqual(before, now)) return undefined
  const who = `${object.kind} ${object.metadata.name}`
  return `${who} or its template changed: its groups select nodes by ${listNames(now)}, and by ${listNames(before)} before. Check it. If the change is intended, raise the guard in spec.guards of a RenderConfig, or allow GuardTripped for this run.`
}

/**
 * Reports DaemonSets that do not record their node count, since they were rendered while earlier output was not shown.
 */
function forgottenFindings({ subject: { object }, earlier }: Planned): Finding[] {
  const forgetful = earlier.filter((item) => item.object.kind === 'DaemonSet' && forgets(item))
  if (forgetful.length === 0) return []
  const names = listNames(forgetful.map(({ object: { metadata } }) => metadata.name))
  const sentence = `${object.metadata.name}: the earlier output does not record node counts (${names}), so maxNodesLost is not checked`
  return [finding('GuardsNotChecked', sentence, { subject: object })]
}

/**
 * Reports earlier objects that were rendered for another cluster, by name or by uid: their node counts do not apply to
 * this one.
 */
function clusterFindings({ subject, earlier, cluster }: Planned, world: World): Finding[] {
  if (cluster === undefined) return []
  const { object } = subject
  const others = earlier.flatMap((item) => rememberedCluster(item.object) ?? []).filter((one) => one !== cluster)
  const uid = world.clusterUid(cluster)
  const uids = earlier.flatMap((item) => rememberedClusterUid(item.object) ?? []).filter((one) => one !== uid)
  if (others.length === 0 && uid !== undefined && uids.length > 0) {
    const sentence = `${object.metadata.name}: its earlier output is for a cluster ${cluster} with the uid ${listNames([...new Set(uids)])}, but the nodes are of the one with ${uid}`
    return [finding('OutputOfOtherCluster', sentence, { subject: object })]
  }
  if (others.length === 0) return []
  const sentence = `${object.metadata.name}: its earlier output is for cluster ${listNames([...new Set(others)])}, but the nodes are of cluster ${cluster}`
  return [finding('OutputOfOtherCluster', sentence, { subject: object })]
}

/**
 * Reports a fall in the number of nodes that are served one by one, where it exceeds the guard. Nodes are counted by
 * source: where a disabled policy hands the source back, or a policy is gone, the policies that take over are compared
 * with what that policy served. A subject that serves no node is stopped by its own error, and by that alone: one pool
 * that empties on purpose must not stop the others of the package.
 */
function shrinkFindings(
  planned: readonly PlannedChanges[],
  orphans: readonly Item[],
  { options, planners }: World,
): Finding[] {
  const { maxShrinkPercent } = options.guards
  const lines = indexBy(planned, ({ source, subject }) => source ?? subject)
  const alike = memo(({ object }: Item) => planned.filter(({ looksLikeOutput }) => looksLikeOutput?.(object) === true))
  return [...lines].flatMap(([source, all]) => {
    const enabled = all.filter(({ isEnabled }) => isEnabled)
    const left = orphans.filter((item) => isLeftOf(item.object, source.object, alike(item), all))
    const isLeft = enabled.length < all.length || left.length > 0
    // a policy that already served nodes continues with them; only a new one takes over
    const isHandedOver = isLeft && enabled.some(({ earlier }) => nodesBefore(earlier) === 0)
    return (isHandedOver ? [enabled] : enabled.map((one) => [one])).flatMap((counted) => {
      const [first] = counted
      if (first === undefined || counted.every(({ servesNone }) => servesNone)) return []
      // released objects go on serving their node
      const earlier = (isHandedOver ? all : counted).flatMap((one) => {
        const released = releasedIn(one)
        return one.earlier.filter((item) => !released.has(item))
      })
      const before = nodesBefore(isHandedOver ? [...earlier, ...left] : earlier)
      if (before === 0) return []
      const now = nodesNow(counted)
      if ((before - now) * 100 <= maxShrinkPercent * before) return []
      const { object: subject } = first.subject
      const noun = planners.noun(first.subject) ?? 'object'
      const article = /^[aeiou]/i.test(noun) ? 'an' : 'a'
      const sentence = `${subject.metadata.name}: ${plural(before, 'node')} had ${article} ${noun}, ${now} would have one; maxShrinkPercent is ${maxShrinkPercent}`
      return [finding('GuardTripped', sentence, { subject, field: { path: 'spec.guards.maxShrinkPercent' } })]
    })
  })
}

/** Returns how many nodes are served: each name once, and those that are only counted. */
function nodesNow(planned: readonly Planned[]): number {
  const { nodes, nodeCount } = mergeNodes(planned)
  return new Set(nodes).size + nodeCount - nodes.length
}

/** Returns how many nodes had an object of their own. */
function nodesBefore(earlier: readonly Item[]): number {
  return indexBy(earlier, ({ object }) => markedNode(object)).size
}

/** Returns the removed objects of subjects that are gone. */
function removedIn(orphaned: readonly Change[]): Item[] {
  return orphaned.flatMap(({ kind, before }) => (kind === 'removed' && before !== undefined ? [before] : []))
}

/**
 * Whether an object of a removed policy was rendered from a source: it looks like what the source renders, or, if its
 * policy changed its name, like no planned object. Objects of a subject that is its own source, such as an Order, do
 * not count.
 */
function isLeftOf(
  object: KubernetesObject,
  source: KubernetesObject,
  alike: readonly Planned[],
  own: readonly Planned[],
): boolean {
  if (object.apiVersion !== source.apiVersion || object.metadata.namespace !== source.metadata.namespace) return false
  if (ownerOf(object)?.startsWith(ownerName(source.kind, ''))) return false
  return alike.length === 0 || own.some((one) => alike.includes(one))
}

/** Whether an earlier object belonged to a group with nodes; an object without a recorded count may have had some. */
function hadNodes(item: Item): boolean {
  return groupOf(item) !== undefined && kindOfGroup(item.object) !== 'remainder' && rememberedNodes(item.object) !== 0
}

/** Whether a group's object records no node count; a remainder has no nodes to count. */
function forgets(item: Item): boolean {
  const isGroup = groupOf(item) !== undefined && kindOfGroup(item.object) !== 'remainder'
  return isGroup && rememberedNodes(item.object) === undefined
}

function groupOf({ object }: Item): string | undefined {
  return markedGroup(object)
}

function templateOf(item: Item | undefined): unknown {
  return (item?.object.spec as { template?: unknown } | null | undefined)?.template
}

/** Returns the earlier objects that this run releases. */
function releasedIn({ changes }: PlannedChanges): ReadonlySet<Item> {
  return new Set(changes.flatMap(({ kind, before }) => (kind === 'released' && before !== undefined ? [before] : [])))
}
