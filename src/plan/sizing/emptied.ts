/** A policy none of whose nodes is left, as when its only pool is scaled to zero: what it rendered stays. */

import { isReadablePodSpec, podSpecOf, servedNodes } from '../../core/object/index.ts'
import { type Fleet, mergeNodes, type Nodes, namedNodes, nodesText, type Shape } from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding/index.ts'
import { markedGroup } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { type Labels, type PodSpec, Quantity, regionOfPod } from '../../kube/index.ts'
import type { Basis } from './basis.ts'
import { finding } from './codes.ts'
import { CLASS, earlierClasses, type Remembered } from './earlier-groups.ts'
import { type Group, ownValue } from './group.ts'
import type { Labelled } from './group-by-label.ts'
import type { Placement } from './placement.ts'

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
