/** What a run may take away of what was rendered before. */
import type { Change, PlannedChanges } from '../change/index.ts'
import { type Finding, listNames } from '../finding/index.ts'
import { mergeNodes } from '../inventory/index.ts'
import { isDeepEqual } from '../krm/map.ts'
import { markedGroup, markedNode, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { rememberedCluster, rememberedNodes } from '../object/index.ts'
import type { Guards } from '../policy/index.ts'
import { indexBy, kindOfGroup, memo, type Planned, type World } from '../world/index.ts'
import { finding } from './codes.ts'

/** Every guard, held against the changes of a package; where nothing shows what was rendered before, that is said. */
export function guardFindings(
  planned: readonly PlannedChanges[],
  orphaned: readonly Change[],
  world: World,
): Finding[] {
  const { guards } = world.options
  // a suspended one keeps what it had, whatever its nodes
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
    ...enabled.flatMap(clusterFindings),
    ...enabled.flatMap((one) => groupFindings(one, guards)),
    ...shrinkFindings(planned, removedIn(orphaned), world),
    ...enabled.flatMap(forgottenFindings),
    ...unseen,
  ]
}

/**
 * The groups of a subject may not go, nor its nodes, nor its pods restart, in greater number than the guards allow.
 * Groups that had no nodes do not count, nor do remainders, and one that is called otherwise is there.
 */
function groupFindings(planned: PlannedChanges, guards: Guards): Finding[] {
  const { subject, earlier, objects, changes } = planned
  const { name } = subject.object.metadata
  const tripped = (sentence: string, guard: keyof Guards) =>
    finding('GuardTripped', `${name}: ${sentence}`, {
      subject: subject.object,
      field: { path: `spec.guards.${guard}` },
    })
  const before = earlier.filter(hadNodes).length
  const groups = new Set(changes.flatMap(({ after }) => (after === undefined ? [] : groupOf(after))))
  const gone = changes.filter(({ kind, before: item }) => {
    return kind === 'removed' && item !== undefined && hadNodes(item) && !groups.has(groupOf(item))
  }).length
  // what is released goes on serving its nodes
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
      ? [tripped(`${gone} of ${before} groups would be removed`, 'maxGroupsRemoved')]
      : []),
    ...(lost > guards.maxNodesLost(nodes)
      ? [tripped(`its groups had ${nodes} nodes and would have ${planned.nodeCount}`, 'maxNodesLost')]
      : []),
    ...(restarted > guards.maxPodsRestarted ? [tripped(`${restarted} pods would restart`, 'maxPodsRestarted')] : []),
  ]
}

/** DaemonSets that were rendered where nothing showed their predecessors do not say how many nodes they had. */
function forgottenFindings({ subject: { object }, earlier }: Planned): Finding[] {
  const forgetful = earlier.filter((item) => item.object.kind === 'DaemonSet' && forgets(item))
  if (forgetful.length === 0) return []
  const names = listNames(forgetful.map(({ object: { metadata } }) => metadata.name))
  const sentence = `${object.metadata.name}: the earlier output does not record node counts (${names}), so maxNodesLost is not checked`
  return [finding('GuardsNotChecked', sentence, { subject: object })]
}

/** What was rendered for other nodes is not to be taken for what these have. */
function clusterFindings({ subject, earlier, cluster }: Planned): Finding[] {
  const others = earlier.flatMap(({ object }) => rememberedCluster(object) ?? []).filter((one) => one !== cluster)
  if (cluster === undefined || others.length === 0) return []
  const { object } = subject
  const sentence = `${object.metadata.name}: its earlier output is for cluster ${listNames([...new Set(others)])}, but the nodes are of cluster ${cluster}`
  return [finding('OutputOfOtherCluster', sentence, { subject: object })]
}

/**
 * The nodes that are served one by one may not fall by more than the guard allows. They are counted by what is rendered
 * from: where a disabled policy hands it back, or one that is gone left it, what takes over is held against what that
 * policy had.
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
    // one that had nodes of its own goes on with them; only a newcomer takes over
    const isHandedOver = isLeft && enabled.some(({ earlier }) => nodesBefore(earlier) === 0)
    return (isHandedOver ? [enabled] : enabled.map((one) => [one])).flatMap((own) => {
      const [first] = own
      if (first === undefined) return []
      // what is released goes on serving its node
      const earlier = (isHandedOver ? all : own).flatMap((one) => {
        const released = releasedIn(one)
        return one.earlier.filter((item) => !released.has(item))
      })
      const before = nodesBefore(isHandedOver ? [...earlier, ...left] : earlier)
      if (before === 0) return []
      const now = nodesNow(own)
      if ((before - now) * 100 <= maxShrinkPercent * before) return []
      const { object: subject } = first.subject
      const noun = planners.noun(first.subject) ?? 'object'
      const article = /^[aeiou]/i.test(noun) ? 'an' : 'a'
      const sentence = `${subject.metadata.name}: ${before} nodes had ${article} ${noun}, ${now} would have one; maxShrinkPercent is ${maxShrinkPercent}`
      return [finding('GuardTripped', sentence, { subject, field: { path: 'spec.guards.maxShrinkPercent' } })]
    })
  })
}

/** How many nodes are served: each name once, and those that are only counted. */
function nodesNow(planned: readonly Planned[]): number {
  const { nodes, nodeCount } = mergeNodes(planned)
  return new Set(nodes).size + nodeCount - nodes.length
}

/** How many nodes had an object of their own. */
function nodesBefore(earlier: readonly Item[]): number {
  return indexBy(earlier, ({ object }) => markedNode(object)).size
}

/** What is removed of the output of subjects that are gone. */
function removedIn(orphaned: readonly Change[]): Item[] {
  return orphaned.flatMap(({ kind, before }) => (kind === 'removed' && before !== undefined ? [before] : []))
}

/**
 * Whether a policy that is gone left an object of what is rendered from a source: it looks like that, or, called
 * otherwise by its policy, like nothing that is planned. What its owner names by itself, as an Order, went with it.
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

/** Whether an earlier object was a group's with nodes; one that does not remember may have had some. */
function hadNodes(item: Item): boolean {
  return groupOf(item) !== undefined && kindOfGroup(item.object) !== 'remainder' && rememberedNodes(item.object) !== 0
}

/** Whether a group's object does not remember its nodes; a remainder has none of its own. */
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

/** The earlier objects that are released now. */
function releasedIn({ changes }: PlannedChanges): ReadonlySet<Item> {
  return new Set(changes.flatMap(({ kind, before }) => (kind === 'released' && before !== undefined ? [before] : [])))
}
