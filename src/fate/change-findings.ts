import { groupText, kindOfGroup, once, type Planned, type World } from '../core/index.ts'
import { clusterShapes, podSpecOf, servedNodes } from '../core/object/index.ts'
import type { Fleet, Shape } from '../facts/inventory/index.ts'
import { withoutWireAnnotations } from '../krm/annotation.ts'
import { difference } from '../krm/difference.ts'
import { type Finding, listNames } from '../krm/finding/index.ts'
import { describe } from '../krm/identity.ts'
import { isDeepEqual, listOf, memberOf } from '../krm/map.ts'
import { markedGroup } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PodSpec, Toleration } from '../kube/index.ts'
import type { Change, PlannedChanges } from './change.ts'
import { finding } from './codes.ts'
import { fieldText, takeValueLists } from './field-text.ts'

/** Reports the changed objects of groups individually; objects for one node are too many for that. */
export function changeFindings(planned: PlannedChanges, { planners }: World, fleets: readonly Fleet[]): Finding[] {
  const ofGroups = planned.changes.filter((change) => groupOf(change) !== undefined)
  const rendered = ofGroups.flatMap(({ kind, after }) =>
    after === undefined || kind === 'released' ? [] : [after.object],
  )
  const now = once(() => renderedNow(rendered, planned, fleets))
  const subject = planned.subject.object
  const computed = new Set(planned.account.flatMap((line) => (line.kind === 'containers' ? line.variables : [])))
  const parts = planners.noun(planned.subject) ?? 'object'
  return ofGroups.flatMap((change) => {
    const item = change.before ?? change.after
    if (item === undefined || change.kind === 'unchanged') return []
    const who = describe(item.object)
    if (change.kind === 'added') return [finding('GroupAdded', `${who} is new, for ${change.about}`, { subject })]
    if (change.kind === 'changed')
      return [finding('GroupChanged', `${who} changed: ${fieldsText(change, computed, parts)}`, { subject })]
    const why = whyRemoved(item.object, planned, now())
    return change.kind === 'removed'
      ? [finding('GroupRemoved', `${who} is removed: ${why}`, { subject })]
      : [finding('GroupReleased', `${who} is released and stays as it is: ${why}`, { subject })]
  })
}

/**
 * Formats the fields that differ: fields of the pods before those that only nodefit reads, and fields with values
 * first.
 */
function fieldsText({ fields, before, after }: Change, computed: ReadonlySet<string>, parts: string): string {
  if (before === undefined) return `its ${parts}s differ from those rendered before`
  const objects = [before, after].flatMap((item) => (item === undefined ? [] : [item.object]))
  const { lists, others } = takeValueLists(fields, before?.object, after?.object)
  const texts = [...lists, ...others.map((field) => ({ path: field.path, text: fieldText(field, objects, computed) }))]
  const rank = ({ path, text }: { path: string; text: string }) =>
    Number(!path.startsWith('spec.')) * 2 + Number(text === path)
  return listNames(texts.sort((a, b) => rank(a) - rank(b)).map(({ text }) => text))
}

function groupOf({ after, before }: Change): string | undefined {
  const marked = [before, after].map((item) => item && markedGroup(item.object))
  return marked[0] ?? marked[1]
}

/**
 * What a policy renders now: the objects of its groups, the label keys in their node selectors and affinities, and the
 * shapes of the fleet.
 */
export interface RenderedNow {
  readonly objects: readonly KubernetesObject[]
  readonly keys: ReadonlySet<string>
  readonly shapes: readonly Shape[]
}

/** Returns what a policy renders now for groups. */
export function renderedNow(
  objects: readonly KubernetesObject[],
  { cluster }: Planned,
  fleets: readonly Fleet[],
): RenderedNow {
  return { objects, keys: new Set(objects.flatMap(placementKeys)), shapes: clusterShapes(fleets, cluster) }
}

/**
 * Explains why an object is removed: the policy is disabled, or no longer has the group; the group has another name or
 * other labels; its nodes are in other groups, or excluded; or there is nothing to render it for.
 */
export function whyRemoved(before: KubernetesObject, by: Planned, now: RenderedNow): string {
  if (!by.isEnabled) return 'the policy is disabled'
  const id = markedGroup(before)
  const same = now.objects.find((object) => markedGroup(object) === id)
  if (same !== undefined) return `${id} is now named ${same.metadata.name}`
  const { spec } = by.subject.object
  const kind = kindOfGroup(before)
  if (kind === 'remainder' && memberOf(spec, 'remainder') === false) return 'the policy has remainder: false'
  if (kind === 'default' && memberOf(spec, 'defaultNodeGroup') === '') return 'the policy has defaultNodeGroup: ""'
  const lost = placementKeys(before).filter((key) => !now.keys.has(key))
  if (now.keys.size > 0 && lost.length > 0) return `nodes are no longer grouped by ${listNames(lost)}`
  return nodesNow(before, by, now) ?? `no node or declared shape is in ${id} any more`
}

const ANY_TAINT: Toleration[] = [{ operator: 'Exists' }]

/**
 * Formats where the nodes are now that the object selected, whatever their taints are today; undefined where there are
 * none.
 */
function nodesNow(before: KubernetesObject, by: Planned, { objects, shapes }: RenderedNow): string | undefined {
  const chosen = { ...podSpecOf(before), tolerations: ANY_TAINT }
  const own = shapes.filter((shape) => serves(chosen, shape))
  if (own.length === 0) return undefined
  const homes = new Set<string>()
  const reasons = new Set<string>()
  for (const shape of own) {
    const home = objects.find((object) => serves(podSpecOf(object), shape))
    if (home === undefined) reasons.add(whyKeptOut(shape, by))
    else homes.add(groupText(markedGroup(home) ?? ''))
  }
  const groups = [...homes].sort()
  const inOthers =
    groups.length === 0 ? [] : [`now in ${groups.length === 1 ? 'group' : 'groups'} ${listNames(groups)}`]
  const noun = own.some(({ nodeCount }) => nodeCount > 0) ? 'nodes' : 'shapes'
  return `its ${noun} are ${[...inOthers, ...[...reasons].sort()].join(', or ')}`
}

/** Explains why nodes are in no group: the template or the policy excludes them, or neither tolerates their taints. */
function whyKeptOut(shape: Shape, { subject, source, constraints }: Planned): string {
  const template = constraints?.pod ?? (source === undefined ? {} : podSpecOf(source.object))
  const policy = (subject.object.spec ?? {}) as Pick<PodSpec, 'nodeSelector' | 'affinity' | 'tolerations'>
  const admits = ({ nodeSelector, affinity }: PodSpec) =>
    serves({ nodeSelector, affinity, tolerations: ANY_TAINT }, shape)
  if (!admits(template)) return 'excluded by nodeSelector or affinity of the template'
  if (!admits(policy)) return 'excluded by nodeSelector or affinity of the policy'
  const tolerations = [...(template.tolerations ?? []), ...(policy.tolerations ?? [])]
  return serves({ tolerations }, shape) ? 'in no group' : 'excluded by taints that are not tolerated'
}

function serves(pod: PodSpec, shape: Shape): boolean {
  const served = servedNodes(pod, shape)
  return served === 'all' || served.length > 0
}

/** Returns the label keys in an object's node selector and affinity; reads any shape, since users edit objects. */
/** Returns the label keys by which the pods of an object select nodes. */
export function placementKeys({ spec }: KubernetesObject): string[] {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  const required = memberOf(
    memberOf(memberOf(pod, 'affinity'), 'nodeAffinity'),
    'requiredDuringSchedulingIgnoredDuringExecution',
  )
  const terms = listOf(memberOf(required, 'nodeSelectorTerms'))
  const keys = terms.flatMap((term) => listOf(memberOf(term, 'matchExpressions')).map((one) => memberOf(one, 'key')))
  const selected = Object.keys((memberOf(pod, 'nodeSelector') as object | null | undefined) ?? {})
  return [...new Set([...selected, ...keys.filter((key) => typeof key === 'string')])]
}

const NO_VARIABLES: ReadonlySet<string> = new Set()

/** The replaced and added items of a package, as in an `Outcome`. */
interface Replacements {
  readonly replaced: ReadonlyMap<Item, Item | undefined>
  readonly added: readonly Item[]
}

/** Reports every object of a package that a run would add, change or remove, and how. */
export function staleFindings({ replaced, added }: Replacements): Finding[] {
  const present = [...replaced].flatMap(([before, after]) => staleFinding(before, after) ?? [])
  const absent = added.map(({ object }) => stale(object, 'is missing from the package'))
  return [...present, ...absent]
}

function staleFinding({ object }: Item, after: Item | undefined): Finding | undefined {
  if (after === undefined) return stale(object, 'would be removed')
  const how = differenceText(object, after.object)
  return how === undefined ? undefined : stale(object, `differs from what is rendered: ${how}`)
}

/**
 * Formats the fields in which an object would change, without values that may be secrets; undefined where none does.
 */
export function differenceText(before: KubernetesObject, after: KubernetesObject): string | undefined {
  const [left, right] = [withoutWireAnnotations(before), withoutWireAnnotations(after)]
  if (isDeepEqual(left, right)) return undefined
  return listNames(difference(left, right).map((field) => fieldText(field, [left, right], NO_VARIABLES)))
}

function stale(subject: KubernetesObject, how: string): Finding {
  return finding('OutputStale', `${describe(subject)} ${how}`, { subject })
}
