import { earliest } from '../../core/index.ts'
import { isReadablePodSpec, lastingTaint, podSpecOf, servedNodes } from '../../core/object/index.ts'
import {
  type Fleet,
  isDeclared,
  mergeNodes,
  type Nodes,
  namedNodes,
  nodesText,
  type Shape,
} from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding.ts'
import { ABSENT_SINCE, markedGroup } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import {
  daemonTolerations,
  isTime,
  type Labels,
  matchesNode,
  type PodSpec,
  Quantity,
  regionOfPod,
  timeText,
} from '../../kube/index.ts'
import type { Basis } from './basis.ts'
import { finding } from './codes.ts'
import { CLASS, earlierClasses, type Remembered, rememberedOf } from './earlier-groups.ts'
import { type Group, ownValue } from './group.ts'
import type { Labelled } from './group-by.ts'
import type { Placement } from './placement.ts'

/** Groups whose nodes have all gone: for a stated time they stay, since most of what goes comes back. */

/** What retention depends on besides the values that nodes have. */
export interface RetentionInput {
  readonly settings: SizingSettings
  readonly placement: Placement
  readonly earlier: readonly Item[]
  /** All nodes of the cluster, those of no group included. */
  readonly shapes: readonly Shape[]
  /** The time of the run; undefined where nothing tells it. */
  readonly now?: Date
}

/** The values that have a group, and since when those are absent that have no node. */
export interface Retained {
  readonly labelled: readonly Labelled[]
  /** By the JSON of the values; undefined where the time is not known, and of nodes that are excluded. */
  readonly absent: ReadonlyMap<string, Date | undefined>
  readonly findings: readonly Finding[]
  /** When the next of them goes. */
  readonly until?: Date
}

/** Returns the key of a value or a combination of values. */
function valuesKey(values: readonly string[]): string {
  return JSON.stringify(values)
}

/**
 * Returns the values that have groups: those that nodes have, and those of earlier groups that have been absent for
 * less than `retainGroups`. Absence begins with the time that a shape without nodes says, else with the mark of the
 * earlier object, else now. A node that has the value and is excluded by a taint or its state is no absence. A value
 * goes at once if the policy or its template excludes the nodes that the earlier object serves.
 */
export function retainedValues(seen: readonly Labelled[], input: RetentionInput): Retained {
  const { settings, earlier, now } = input
  if (settings.target.kind === 'Order' || settings.rangeBounds !== undefined)
    return { labelled: seen, absent: new Map(), findings: [] }
  const known = new Set(seen.map(({ values }) => valuesKey(values)))
  const before = rememberedValues(earlier, settings).filter(({ values }) => !known.has(valuesKey(values)))
  const objects = objectsByValue(before, settings, earlier)
  const absent = new Map<string, Date | undefined>()
  const findings: Finding[] = []
  const ends: Date[] = []
  /** Whether values without nodes keep their group, absent since a time. */
  const stays = (
    values: readonly string[],
    object: KubernetesObject | undefined,
    marked: Date | undefined,
    isNeeded = false,
  ): boolean => {
    // a clock that was ahead marked it
    const since = earliest([marked, now])
    const end = since && new Date(since.getTime() + settings.retainGroups)
    const isOver = end !== undefined && now !== undefined && end <= now
    if (isOver && !isNeeded) return false
    absent.set(valuesKey(values), since)
    if (end !== undefined && !isOver) ends.push(end)
    findings.push(absentFinding(values, { settings, since, end, isOver, object }))
    return true
  }
  // without another group for them, nodes that an inventory expects keep theirs
  const isNeeded = !settings.remainder || !seen.some(({ members }) => members.some(({ shape }) => !isDeclared(shape)))
  const present = seen.filter(({ values, members }) => {
    const since = declaredSince(members.map(({ shape }) => shape))
    return since === undefined || stays(values, objects.get(valuesKey(values)), since, isNeeded)
  })
  const kept = before.filter(({ values }) => {
    const object = objects.get(valuesKey(values))
    const why = object === undefined ? 'policy' : whyGone(values, object, input)
    if (why === 'excluded') {
      absent.set(valuesKey(values), undefined)
      return true
    }
    if (why === 'policy' || settings.retainGroups === 0) return false
    return stays(values, object, markedSince(values, object) ?? now)
  })
  const labelled = [...present, ...kept].sort((a, b) => (valuesKey(a.values) < valuesKey(b.values) ? -1 : 1))
  const until = earliest(ends)
  return { labelled, absent, findings, ...(until && { until }) }
}

/** The earlier object of each value: that of its group, or of the class that it is in. */
function objectsByValue(before: readonly Labelled[], settings: SizingSettings, earlier: readonly Item[]) {
  const remembered = rememberedOf(earlier)
  const classes = settings.classRatio === undefined ? [] : [...earlierClasses(earlier, settings.groupLabels[0] ?? '')]
  return new Map(
    before.flatMap(({ values }) => {
      const ofClass = classes.find(([, own]) => own.has(values[0] ?? ''))?.[0]
      const object = remembered.get(ofClass ?? `value:${values.join(',')}`)?.object
      return object === undefined ? [] : [[valuesKey(values), object] as const]
    }),
  )
}

/**
 * Returns why a value has no node in the policy: `excluded` where nodes have it and a taint keeps them out that the
 * earlier pods did not tolerate either, `policy` where earlier pods would still run there, else `absent`.
 */
function whyGone(
  values: readonly string[],
  object: KubernetesObject,
  { settings: { groupLabels }, placement, shapes }: RetentionInput,
): 'excluded' | 'policy' | 'absent' {
  const pod = podSpecOf(object)
  if (!isReadablePodSpec(pod)) return 'policy'
  const carrying = shapes.filter(({ labels }) =>
    groupLabels.every((label, index) => ownValue(labels, label) === values[index]),
  )
  const tolerates = (shape: Shape) => lastingTaint(shape, daemonTolerations(pod), 'NoExecute') === undefined
  const isOfPolicy = ({ labels, nodes }: Shape) =>
    (nodes.length === 0 ? [''] : nodes).some((name) => matchesNode({ name, labels }, placement))
  if (carrying.some((shape) => !isDeclared(shape) && isOfPolicy(shape) && !tolerates(shape))) return 'excluded'
  const isServed = (shape: Shape) => {
    const served = servedNodes(pod, { ...shape, taints: [] })
    return served === 'all' || served.length > 0
  }
  return carrying.some(isServed) ? 'policy' : 'absent'
}

/** Since when shapes have no node, where all of them say so: a writer that retains them does. */
function declaredSince(shapes: readonly Shape[]): Date | undefined {
  const times = shapes.map(({ emptySince = '' }) => (isTime(emptySince) ? Date.parse(emptySince) : undefined))
  if (!shapes.every(isDeclared) || times.includes(undefined)) return undefined
  return new Date(Math.max(...times.map((time) => time ?? 0)))
}

/** Returns since when values are absent, as the earlier objects say: a policy without nodes adds no time to it. */
export function carriedAbsence(
  before: readonly Labelled[],
  settings: SizingSettings,
  earlier: readonly Item[],
): ReadonlyMap<string, Date> {
  const marks = [...objectsByValue(before, settings, earlier)].map(
    ([key, object]) => [key, markedSince(JSON.parse(key) as string[], object)] as const,
  )
  return new Map(marks.flatMap(([key, since]) => (since === undefined ? [] : [[key, since] as const])))
}

/** The text of the mark on an object of which values are absent: each value with its time. */
export function absentText(absent: ReadonlyArray<readonly [values: readonly string[], since: Date]>): string {
  return absent
    .map(([values, since]) => `${values.join('/')}=${timeText(since)}`)
    .sort()
    .join(' ')
}

/** Reads since when values are absent from the mark of their object; a user may have written any text. */
function markedSince(values: readonly string[], object: KubernetesObject | undefined): Date | undefined {
  const text: unknown = object?.metadata.annotations?.[ABSENT_SINCE]
  if (typeof text !== 'string') return undefined
  const prefix = `${values.join('/')}=`
  const time = text
    .split(' ')
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length)
  return time !== undefined && isTime(time) ? new Date(time) : undefined
}

function absentFinding(
  values: readonly string[],
  {
    settings: { subject, groupLabels },
    since,
    end,
    isOver,
    object,
  }: {
    readonly settings: SizingSettings
    readonly since?: Date | undefined
    readonly end?: Date | undefined
    readonly isOver: boolean
    readonly object?: KubernetesObject | undefined
  },
): Finding {
  const what = groupLabels.map((label, index) => `${label} ${values[index] || '""'}`).join(' and ')
  const id = object === undefined ? undefined : markedGroup(object)
  const group = id?.startsWith(CLASS) ? `its place in ${id}` : 'its group'
  const how =
    since === undefined || end === undefined
      ? `and no time of the run is known: ${group} stays`
      : `since ${timeText(since)}: ${group} stays ${isOver ? 'while the inventory expects such nodes, since no other group covers them' : `until ${timeText(end)}`}`
  return finding('GroupAbsent', `${subject.metadata.name}: no node has ${what} ${how}`, { subject })
}

/** A policy none of whose nodes is left, as when its only pool is scaled to zero: what it rendered stays. */

const VALUE = 'value:'
const MOST_LABELS = 5

/**
 * The label values of the earlier groups, sorted, without nodes: of value groups whose nodeSelector has every group
 * label, or of classes. A group that was rendered for other labels is not among them, nor one of ranges.
 */
export function rememberedValues(earlier: readonly Item[], settings: SizingSettings): Labelled[] {
  const { groupLabels, classRatio, rangeBounds } = settings
  if (rangeBounds !== undefined) return []
  const values =
    classRatio === undefined
      ? earlier.flatMap((item) => valuesOf(item, groupLabels) ?? [])
      : [...earlierClasses(earlier, groupLabels[0] ?? '')].flatMap(([, own]) => [...own].map((value) => [value]))
  const known = new Map(values.map((own) => [JSON.stringify(own), own]))
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, own]) => ({ values: own, members: [] }))
}

/** The values of the group labels that an earlier object selects, if it is the object of such a group. */
function valuesOf({ object }: Item, groupLabels: readonly string[]): [string[]] | undefined {
  const id = markedGroup(object)
  if (!id?.startsWith(VALUE) || id.startsWith(CLASS)) return undefined
  const selector: Labels = podSpecOf(object).nodeSelector ?? {}
  // users may edit objects: no value need be a string
  const values = groupLabels.flatMap((label): string[] => {
    const value: unknown = ownValue(selector, label)
    return typeof value === 'string' ? [value] : []
  })
  return id === `${VALUE}${values.join(',')}` && values.length === groupLabels.length ? [values] : undefined
}

/** The least remembered basis of each resource, which sizes a group that was not rendered before; as a remainder. */
export function leastBasis(remembered: Iterable<Remembered>): Basis | undefined {
  const all = [...remembered].flatMap(({ basis }) => basis ?? [])
  const least = (resource: 'cpu' | 'memory') =>
    all
      .map((basis) => basis[resource])
      .reduce((low, one) => (one.compare(low) < 0 ? one : low), all[0]?.[resource] ?? NONE)
  return all.length === 0 ? undefined : { cpu: least('cpu'), memory: least('memory') }
}

const NONE = Quantity.of(0n, 'DecimalSI')

/** The nodes of a shape where one of the pods may stay. */
function nodesServed(pods: readonly PodSpec[], shape: Shape): Nodes[] {
  const served = pods.map((pod) => servedNodes(pod, shape))
  if (served.includes('all')) return [shape]
  return [namedNodes([...new Set(served.flat())])]
}

/**
 * What is said of a policy without nodes: `GroupsKept` where its earlier groups stay, and `NoGroups` where nothing is
 * remembered, or where nodes of today would lose the agent that an earlier object runs there: then it is the policy or
 * its template that changed, not the fleet.
 */
export function emptiedFindings(
  groups: readonly Group[],
  earlier: readonly Item[],
  { shapes }: Fleet,
  { subject }: SizingSettings,
  placement: Placement,
): Finding[] {
  const { name } = subject.metadata
  if (shapes.length === 0 && groups.length === 0) return []
  if (groups.length === 0) {
    const node = regionOfPod(placement).witness()
    const pairs = Object.entries(node?.labels ?? {}).map(([key, value]) => `${key}=${value}`)
    const example = pairs.length === 0 ? '' : ` later, such as one with ${listNames(pairs, MOST_LABELS)},`
    const sentence = `${name}: no node belongs to a group, and no earlier output remembers what to keep: nodes that come${example} would run no agent`
    return [finding('NoGroups', sentence, { subject, field: { path: 'spec', currentValue: node } })]
  }
  const pods = earlier.map(({ object }) => podSpecOf(object))
  const isReadable = pods.every(isReadablePodSpec)
  const served = isReadable ? mergeNodes(shapes.flatMap((shape) => nodesServed(pods, shape))) : undefined
  if (served === undefined || served.nodeCount > 0) {
    const count = served === undefined ? 'nodes' : plural(served.nodeCount, 'node')
    const names = served === undefined || served.nodes.length === 0 ? '' : `: ${nodesText(served)}`
    return [finding('NoGroups', `${name}: no node belongs to a group, and ${count} would lose the agent${names}`)]
  }
  const what = plural(groups.length, 'group')
  return [
    finding('GroupsKept', `${name}: none of its nodes is left; ${what} of the earlier output stay, with their sizes`),
  ]
}
