import { NODEFIT } from '../../kinds/index.ts'
import { isMap } from '../../krm/map.ts'
import { isTime, type Labels, type Node, Quantity, type ResourceQuantities, type Taint } from '../../kube/index.ts'
import { taintSortKey } from '../../kube/taint.ts'
import { isCounted, mergeNodes, namedNodes, nodeCountOf, type Shape } from './fleet.ts'

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

/** The options of an inventory's writer. */
interface InventoryOptions {
  readonly name: string
  readonly cluster: string
  readonly clusterUid?: string
  readonly observedAt?: string
  readonly labelKeys: readonly string[]
  readonly exact?: boolean
  readonly uid?: boolean
  /** Writes counts instead of names and uids. */
  readonly counts?: boolean
}

/**
 * Returns the name of a cluster's inventory: the cluster's name, with characters replaced that no object name may have.
 */
export function inventoryName(cluster: string): string {
  return cluster.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')
}

/**
 * Writes a NodeInventory with the chosen labels only, its nodes merged into shapes, in an order that depends on the
 * content only.
 */
export function toInventory(nodes: readonly Shape[], options: InventoryOptions): Record<string, unknown> {
  const isExported = labelKeyMatcher(options.labelKeys)
  const trimmed = nodes.map((node) => ({
    ...node,
    labels: Object.fromEntries(
      Object.entries(node.labels)
        .filter(([key]) => isExported(key))
        .sort(),
    ),
    uids: options.uid ? node.uids : undefined,
  }))
  const shapes = toShapes(trimmed, { exact: options.exact })
  return {
    apiVersion: NODEFIT,
    kind: 'NodeInventory',
    metadata: { name: options.name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    spec: {
      cluster: options.cluster,
      ...(options.clusterUid === undefined ? {} : { clusterUid: options.clusterUid }),
      ...(options.observedAt === undefined ? {} : { observedAt: options.observedAt }),
      labelKeys: [...options.labelKeys],
      nodeCount: nodeCountOf(shapes),
      shapes: shapes.map((shape) => shapeFields(shape, options.counts === true)),
    },
  }
}

/** Writes a shape without empty or false fields. */
function shapeFields(shape: Shape, counts: boolean): Record<string, unknown> {
  const { labels, taints, ready, unschedulable, osImage, capacity, allocatable, nodes, nodeCount, uids, emptySince } =
    shape
  return {
    labels,
    ...(taints.length > 0 ? { taints } : {}),
    ...(ready === undefined ? {} : { ready }),
    ...(unschedulable ? { unschedulable } : {}),
    ...(osImage === '' ? {} : { osImage }),
    capacity,
    allocatable,
    ...(counts || isCounted(shape) ? { count: nodeCount } : { nodes, ...(uids === undefined ? {} : { uids }) }),
    ...(emptySince === undefined ? {} : { emptySince }),
  }
}

/**
 * The label keys that an inventory exports by default: those that groups are made of, none that is unique to a node.
 */
export const DEFAULT_LABEL_KEYS = [
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'node-role.kubernetes.io/*',
  'eks.amazonaws.com/nodegroup',
  'eks.amazonaws.com/compute-type',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'karpenter.sh/nodepool',
  'karpenter.sh/capacity-type',
  'svccontroller.k3s.cattle.io/lbpool',
] as const

/** Returns a predicate that tells whether one of the patterns matches a key; `*` stands for any characters. */
export function labelKeyMatcher(patterns: readonly string[]): (key: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'))
  return (key) => exact.has(key) || globs.some((parts) => containsInOrder(key, parts))
}

const HOSTNAME = 'kubernetes.io/hostname'

/** Label keys that nodes usually have: the default ones without a wildcard, and the hostname. */
export const USUAL_LABEL_KEYS: readonly string[] = [...DEFAULT_LABEL_KEYS.filter((key) => !key.includes('*')), HOSTNAME]

/**
 * Returns the first exported label that identifies a node: the hostname, or one whose value is the node's name;
 * undefined if there is none.
 */
export function nodeNameLabel(
  nodes: Iterable<{ readonly name: string; readonly labels: Labels }>,
  labelKeys: readonly string[],
): string | undefined {
  const keys = new Set<string>()
  for (const { name, labels } of nodes)
    for (const [key, value] of Object.entries(labels)) if (key === HOSTNAME || value === name) keys.add(key)
  return [...keys].filter(labelKeyMatcher(labelKeys)).sort()[0]
}

/** Whether a key begins with the first part, ends with the last, and contains the others between them in order. */
function containsInOrder(key: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop() ?? ''
  if (!key.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = key.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return key.length - last.length >= at && key.endsWith(last)
}
