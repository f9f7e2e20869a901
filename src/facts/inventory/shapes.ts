import { isMap } from '../../krm/map.ts'
import { isTime, type Node, Quantity, type ResourceQuantities, type Taint } from '../../kube/index.ts'
import { taintSortKey } from '../../kube/taint.ts'
import type { Shape } from './fleet.ts'
import { mergeNodes, namedNodes } from './nodes.ts'

interface NodeStatus {
  conditions?: Array<{ type?: string; status?: string; lastHeartbeatTime?: unknown }>
  nodeInfo?: { osImage?: string }
  capacity?: ResourceQuantities
  allocatable?: ResourceQuantities
}

/** Converts a Node to a shape of one node, without what changes at every heartbeat. */
export function shapeOfNode(node: Node): Shape {
  const status = (node.status ?? {}) as NodeStatus
  const uid = node.metadata.uid
  return {
    labels: node.metadata.labels ?? {},
    taints: (node.spec?.taints ?? []).map(withoutTime),
    ready: status.conditions?.find(({ type }) => type === 'Ready')?.status,
    unschedulable: node.spec?.unschedulable === true,
    osImage: status.nodeInfo?.osImage ?? '',
    capacity: status.capacity ?? {},
    allocatable: status.allocatable ?? {},
    ...namedNodes([node.metadata.name]),
    ...(typeof uid === 'string' ? { uids: { [node.metadata.name]: uid } } : {}),
  }
}

/** Returns why a Node cannot be read, in words; the API server returns no such Node. */
export function nodeProblem({ metadata, spec, status }: Node): string | undefined {
  const { conditions, capacity, allocatable, nodeInfo } = (status ?? {}) as NodeStatus
  if (typeof metadata.name !== 'string' || metadata.name === '') return 'it has no name'
  if (typeof (nodeInfo?.osImage ?? '') !== 'string') return 'status.nodeInfo.osImage is not text'
  if (!Object.values(metadata.labels ?? {}).every((value) => typeof value === 'string'))
    return 'a label value is not text'
  if (!isListOfMaps(spec?.taints)) return 'spec.taints is not a list of taints'
  if (!isListOfMaps(conditions)) return 'status.conditions is not a list of conditions'
  const amounts = [...Object.values(capacity ?? {}), ...Object.values(allocatable ?? {})]
  return amounts.every((amount) => typeof amount === 'string' || typeof amount === 'number')
    ? undefined
    : 'an amount is not a quantity'
}

function isListOfMaps(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) && value.every(isMap)
}

/** Returns the newest heartbeat of a node, RFC 3339; undefined where it has none that is a time. */
export function lastHeartbeat(node: Node): string | undefined {
  const { conditions } = (node.status ?? {}) as NodeStatus
  const times = (conditions ?? []).map(({ lastHeartbeatTime }) => lastHeartbeatTime)
  return times
    .filter((time): time is string => typeof time === 'string' && isTime(time))
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1)
}

/** Whether the kubelet of a node has not reported for long: the node lifecycle controller sets Ready to Unknown. */
export function isSilent(node: Node): boolean {
  const { conditions } = (node.status ?? {}) as NodeStatus
  return conditions?.find(({ type }) => type === 'Ready')?.status === 'Unknown'
}

function withoutTime({ key, value, effect }: Taint): Taint {
  return value === undefined ? { key, effect } : { key, value, effect }
}

const HUNDRED = 100n

/**
 * Merges nodes into shapes. Nodes that differ only in amounts, each by less than 1 %, become one shape with the
 * smallest of each amount; with `exact` only equal nodes do. The result does not depend on the order of the input.
 */
export function toShapes(nodes: readonly Shape[], options: { exact?: boolean } = {}): Shape[] {
  const alike = new Map<string, Shape[]>()
  for (const node of nodes) {
    const key = shapeKey(node)
    const group = alike.get(key)
    if (group === undefined) alike.set(key, [node])
    else group.push(node)
  }
  const keys = [...alike.keys()].sort()
  return keys.flatMap((key) => groupBySpans(alike.get(key) ?? [], options.exact === true).map(join))
}

/** Returns a key of everything that a policy can see of a node except the amounts. */
function shapeKey({ labels, taints, ready, unschedulable, osImage, capacity, allocatable }: Shape): string {
  const sortedTaints = taints.map(({ key, value = '', effect }) => [key, value, effect].join(' ')).sort()
  const names = [Object.keys(capacity).sort(), Object.keys(allocatable).sort()]
  return JSON.stringify([Object.entries(labels).sort(), sortedTaints, ready ?? '', unschedulable, osImage, names])
}

/**
 * Groups nodes whose amounts all fall into the same spans. A span begins at the smallest amount outside the earlier
 * spans, and is 1 % wide.
 */
function groupBySpans(nodes: readonly Shape[], exact: boolean): Shape[][] {
  const amounts = nodes.map(amountsOf)
  const spans = (amounts[0] ?? []).map((_, index) =>
    spansOf(
      amounts.map((own) => own[index] ?? 0n),
      exact,
    ),
  )
  const byPlace = new Map<string, Shape[]>()
  for (const [index, node] of nodes.entries()) {
    const place = spans.map((span, resource) => span.get(amounts[index]?.[resource] ?? 0n) ?? '').join(' ')
    const cluster = byPlace.get(place)
    if (cluster === undefined) byPlace.set(place, [node])
    else cluster.push(node)
  }
  return [...byPlace.keys()].sort().map((place) => byPlace.get(place) ?? [])
}

/** Returns the index of each amount's span, padded so that it sorts as text. */
function spansOf(amounts: readonly bigint[], exact: boolean): Map<bigint, string> {
  const distinct = [...new Set(amounts)].sort((a, b) => (a < b ? -1 : 1))
  const spans = new Map<bigint, string>()
  let first: bigint | undefined
  let count = 0
  for (const amount of distinct) {
    if (first === undefined || exact || (amount - first) * HUNDRED >= first) {
      first = amount
      count++
    }
    spans.set(amount, String(count).padStart(6, '0'))
  }
  return spans
}

function amountsOf({ allocatable, capacity }: Shape): bigint[] {
  return [allocatable, capacity].flatMap((resources) =>
    Object.keys(resources)
      .sort()
      .map((name) => Quantity.parse(resources[name] ?? 0).nanoValue()),
  )
}

function join(nodes: readonly Shape[]): Shape {
  const [first] = nodes
  if (first === undefined) throw new Error('a shape has at least one node to be made of')
  const { nodes: names, nodeCount } = mergeNodes(nodes)
  const uids = Object.assign({}, ...nodes.map((node) => node.uids)) as Record<string, string>
  return {
    ...first,
    taints: [...first.taints].sort((a, b) => (taintSortKey(a) < taintSortKey(b) ? -1 : 1)),
    capacity: smallest(nodes.map(({ capacity }) => capacity)),
    allocatable: smallest(nodes.map(({ allocatable }) => allocatable)),
    nodes: [...names].sort(),
    nodeCount,
    ...(Object.keys(uids).length > 0 ? { uids } : {}),
  }
}

function smallest(all: readonly ResourceQuantities[]): ResourceQuantities {
  const result: ResourceQuantities = {}
  for (const name of Object.keys(all[0] ?? {}).sort()) {
    const amounts = all.map((resources) => Quantity.parse(Object.hasOwn(resources, name) ? (resources[name] ?? 0) : 0))
    result[name] = amounts.reduce((least, amount) => (amount.compare(least) < 0 ? amount : least)).toString()
  }
  return result
}
