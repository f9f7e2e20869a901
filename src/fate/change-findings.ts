import { groupText, kindOfGroup, once, type Planned, type World } from '../core/index.ts'
import { clusterShapes, podSpecOf, servedNodes } from '../core/object/index.ts'
import type { Fleet, Shape } from '../facts/inventory/index.ts'
import { difference, type FieldChange } from '../krm/difference.ts'
import { type Finding, listNames } from '../krm/finding.ts'
import { describe, withoutWireAnnotations } from '../krm/identity.ts'
import { isDeepEqual, isMap, listOf, memberOf, scalarText } from '../krm/map.ts'
import { markedGroup } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PodSpec, Toleration } from '../kube/index.ts'
import type { Change, PlannedChanges } from './change.ts'
import { finding } from './codes.ts'

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
interface RenderedNow {
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

/**
 * Fields that hold no secret: amounts, images, node selection, update strategy, and nodefit's own annotations.
 * Arguments and other annotations and variables may hold a password, so they are named without their values.
 */
const OPEN = [
  /^metadata\.annotations\.nodefit\.dev\//,
  /^metadata\.labels\.nodefit\.dev\//,
  /^spec\.(?:replicas|minReadySeconds|revisionHistoryLimit)$/,
  /^spec\.updateStrategy(?:\.|$)/,
  /^spec\.template\.spec\.(?:affinity|nodeSelector|tolerations|resources|overhead|priorityClassName)(?:\.|$)/,
  /^spec\.template\.spec\.(?:containers|initContainers)\.\d+\.(?:image$|resources(?:\.|$))/,
]
const VARIABLE = /^spec\.template\.spec\.(containers|initContainers)\.(\d+)\.env\.(\d+)\.value$/
/** The values that nodefit writes into a variable that it computes. */
const AMOUNT = /^[0-9]{1,20}(?:B|[KMG]iB?|m)?$/

/** How many characters of a value are shown, and how many of them before the first that differs. */
const LONG = 40
const CONTEXT = 14
const ELLIPSIS = '...'

/**
 * Formats a field that differs between two objects: with its old and new value where they are no secret, else only its
 * path.
 */
export function fieldText(
  { path, before, after }: FieldChange,
  objects: readonly KubernetesObject[],
  computed: ReadonlySet<string>,
): string {
  const isComputed = isAmount(before) && isAmount(after) && objects.every((object) => isOf(computed, path, object))
  const isShown = isComputed || OPEN.some((pattern) => pattern.test(path))
  return isShown ? `${path} ${valuesText(valueText(before), valueText(after))}` : path
}

/**
 * Whether the path is the value of one of these variables; where variables are added or removed, an index may be that
 * of another.
 */
function isOf(names: ReadonlySet<string>, path: string, { spec }: KubernetesObject): boolean {
  const [, list = '', container = '', variable = ''] = VARIABLE.exec(path) ?? []
  if (variable === '') return false
  const way = ['template', 'spec', list, container, 'env', variable, 'name']
  const name = way.reduce<unknown>((value, key) => (isContainer(value) ? value[key] : undefined), spec)
  return names.has(String(name))
}

function isAmount(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && AMOUNT.test(value))
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return isMap(value) || Array.isArray(value)
}

/** Returns integers that are too long for a number as they are written. */
function written(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

/** Formats a value for a sentence: as written, in quotes if it is not one word, `none` for undefined. */
function valueText(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value, written)
}

/** Formats two different values, long ones shortened so that both show where they begin to differ. */
function valuesText(before: string, after: string): string {
  const [left, right] = [[...before], [...after]]
  if (left.length <= LONG && right.length <= LONG) return `${before} -> ${after}`
  const first = left.findIndex((character, index) => character !== right[index])
  const same = first === -1 ? left.length : first
  const from = same > LONG - ELLIPSIS.length - CONTEXT ? same - CONTEXT : 0
  return `${excerpt(left, from)} -> ${excerpt(right, from)}`
}

/** Returns at most `LONG` characters from an index on, with an ellipsis in place of what is left out. */
function excerpt(characters: readonly string[], from: number): string {
  if (from === 0 && characters.length <= LONG) return characters.join('')
  const start = from === 0 ? '' : ELLIPSIS
  const room = LONG - start.length
  const rest = characters.slice(from)
  return `${start}${rest.length <= room ? rest.join('') : `${rest.slice(0, room - ELLIPSIS.length).join('')}${ELLIPSIS}`}`
}

const VALUE = /^(spec\.template\.spec\.affinity\..+\.values)\.\d+$/

/** A list of label values that differs: its path, and the values that were removed and added. */
interface ListChange {
  readonly path: string
  readonly text: string
}

/**
 * Combines the lists of label values in node selections into one change each, by the values removed and added. The
 * lists are sorted, so one more value moves all after it, and most indexes would differ. Returns the other fields as
 * they are.
 */
export function takeValueLists(
  fields: readonly FieldChange[],
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): { lists: ListChange[]; others: FieldChange[] } {
  const listed = (field: FieldChange) => VALUE.exec(field.path)?.[1]
  const paths = new Set(fields.flatMap((field) => listed(field) ?? []))
  const lists = [...paths].map((path) => ({ path, text: `${path} ${changeText(at(before, path), at(after, path))}` }))
  return { lists, others: fields.filter((field) => listed(field) === undefined) }
}

function changeText(before: readonly string[], after: readonly string[]): string {
  const lost = before.filter((value) => !after.includes(value))
  const gained = after.filter((value) => !before.includes(value))
  const said = [
    ...(lost.length === 0 ? [] : [`without ${listNames(lost)}`]),
    ...(gained.length === 0 ? [] : [`with ${listNames(gained)}`]),
  ]
  return said.length === 0 ? 'in another order' : said.join(', ')
}

/** Returns the strings of a list; a path through a key that contains a dot finds none. */
function at(object: KubernetesObject | undefined, path: string): string[] {
  const list = path.split('.').reduce<unknown>((value, key) => {
    return Array.isArray(value) ? value[Number(key)] : memberOf(value, key)
  }, object)
  return listOf(list).map(scalarText)
}
