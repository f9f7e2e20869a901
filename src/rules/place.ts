import { indexBy } from '../core/index.ts'
import { lastingTaint, podSpecOf } from '../core/object/index.ts'
import { type Fleet, isCounted, isDeclared, nodesText, type Shape, shapeText } from '../facts/inventory/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import {
  daemonTolerations,
  type Labels,
  matchesNode,
  type Region,
  regionOfPod,
  unlessMalformed,
} from '../kube/index.ts'

/** Returns where the pods of a rendered object may be; undefined where a user's edit made the object unreadable. */
export function placeOf(object: KubernetesObject): Region | undefined {
  return unlessMalformed(() => regionOfPod(podSpecOf(object)))
}

/** Whether the pods of an object may be on a node; undefined where a user's edit made the object unreadable. */
export function admits(object: KubernetesObject, node: { name: string; labels: Labels }): boolean | undefined {
  return unlessMalformed(() => matchesNode(node, podSpecOf(object)))
}

/** A place and its owner. */
export interface Entry<Owner> {
  readonly place: Region
  readonly owner: Owner
  readonly name: string
  /** Whether it serves future nodes; two places of which neither does are compared on existing nodes instead. */
  readonly isFuture: boolean
}

/**
 * Finds a place of an earlier owner that may share a node with a later one, if one of the two is for future nodes.
 * Places with different values of the most distinguishing label cannot overlap and are not compared, so that many
 * policies on disjoint pools stay fast.
 */
export function meetings<Owner>(
  entries: readonly Entry<Owner>[],
): Map<Owner, { entry: Entry<Owner>; other: Entry<Owner> }> {
  const fixed = new Map(entries.map((entry) => [entry, entry.place.fixedLabels]))
  const key = tellingKey([...fixed.values()])
  const tellingValue = (entry: Entry<Owner>) => {
    const labels = fixed.get(entry) ?? {}
    return key !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  }
  const buckets = indexBy(entries, tellingValue)
  const open = entries.filter((entry) => tellingValue(entry) === undefined)
  const order = new Map([...new Set(entries.map(({ owner }) => owner))].map((owner, index) => [owner, index]))
  const rank = ({ owner }: Entry<Owner>) => order.get(owner) ?? 0
  const found = new Map<Owner, { entry: Entry<Owner>; other: Entry<Owner> }>()
  for (const entry of entries) {
    if (found.has(entry.owner)) continue
    const value = tellingValue(entry)
    const near = value === undefined ? entries : [...(buckets.get(value) ?? []), ...open]
    const other = near.find(
      (one) => rank(one) < rank(entry) && (entry.isFuture || one.isFuture) && entry.place.meets(one.place),
    )
    if (other !== undefined) found.set(entry.owner, { entry, other })
  }
  return found
}

/** Returns the label with the most distinct values. */
function tellingKey(all: readonly Labels[]): string | undefined {
  const values = new Map<string, Set<string>>()
  for (const labels of all)
    for (const [key, value] of Object.entries(labels)) {
      const own = values.get(key)
      if (own === undefined) values.set(key, new Set([value]))
      else own.add(value)
    }
  const [first] = [...values].sort(([a, left], [b, right]) => right.size - left.size || (a < b ? -1 : 1))
  return first?.[0]
}

/** Shapes whose nodes have no names to compare by: each shape is compared as a whole, by its labels and taints. */

/** Returns the declared node types, and the shapes whose nodes are only counted. */
export function unnamedShapes(fleets: readonly Fleet[]): Shape[] {
  return fleets.flatMap(({ shapes }) => shapes.filter((shape) => isDeclared(shape) || isCounted(shape)))
}

/** Whether the pods of an object may be on the nodes of a shape: its labels match, and every taint is tolerated. */
export function isServed(shape: Shape, object: KubernetesObject): boolean {
  if (admits(object, { name: '', labels: shape.labels }) !== true) return false
  const { tolerations, hostNetwork } = podSpecOf(object)
  const all = daemonTolerations({ tolerations: tolerations ?? [], hostNetwork })
  return lastingTaint(shape, all, 'NoExecute') === undefined
}

/** Formats the nodes of a shape as the place of an overlap. */
export function whereOf(shape: Shape): string {
  return isDeclared(shape) ? `the declared ${shapeText(shape)}` : `${nodesText(shape)} of ${shapeText(shape)}`
}
