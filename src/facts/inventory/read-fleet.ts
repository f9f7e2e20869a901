import { isNodeInventory, type NodeInventory, unknownFields, validate } from '../../kinds/index.ts'
import { type Finding, listNames, type Place, plural, type Read, type Subject } from '../../krm/finding.ts'
import { isTime, KubeError, type Node, Quantity, timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import {
  type Fleet,
  isCounted,
  isDeclared,
  mergeNodes,
  namedNodes,
  nodeCountOf,
  nodesText,
  type Shape,
  shapeText,
} from './fleet.ts'
import { isSilent, labelKeyMatcher, lastHeartbeat, nodeProblem, shapeOfNode } from './shapes.ts'

/** Whether an object is a source of nodes: a Node or a NodeInventory. */
export function isNodeSource({ apiVersion, kind }: Subject): boolean {
  return isNode({ apiVersion, kind }) || isNodeInventory({ apiVersion, kind })
}

/**
 * Reads the fleet of a scope from its NodeInventories or its Nodes. `cluster` is the one that the policy or the run
 * names. Without a value the findings contain an error; with a value they may contain errors that a run can allow.
 */
export function readFleet(sources: readonly Subject[], cluster: string | undefined): Read<Fleet> {
  const nodes = sources.filter(isNode)
  const inventories = sources.filter(isNodeInventory)
  const [firstNode] = nodes
  const [firstInventory] = inventories
  if (firstNode !== undefined && firstInventory !== undefined) {
    const sentence = `the package has both Node ${firstNode.metadata.name} and NodeInventory ${firstInventory.metadata.name}`
    return { findings: [finding('TwoSources', sentence, { subject: firstNode })] }
  }
  if (firstNode !== undefined) return fleetOfNodes(nodes)
  const findings: Finding[] = []
  const fleets: Fleet[] = []
  for (const inventory of inventories) {
    const read = readInventory(inventory)
    findings.push(...read.findings)
    if (read.value !== undefined) fleets.push(read.value)
  }
  if (fleets.length < inventories.length) return { findings }
  const { chosen, findings: clusterFindings } = chooseCluster(fleets, cluster)
  const twice = duplicateCounts(chosen)
  if (twice.length > 0) return { findings: [...findings, ...clusterFindings, ...twice] }
  const placeOf = (shape: Shape): Place => {
    const index = fleets.findIndex(({ shapes }) => shapes.includes(shape))
    const path = `spec.shapes.${fleets[index]?.shapes.indexOf(shape)}.allocatable`
    return { subject: inventories[index], field: { path, currentValue: shape.allocatable } }
  }
  return checkFleet(merge(chosen), [...findings, ...clusterFindings], placeOf)
}

function isNode({ apiVersion, kind }: Pick<Subject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === 'v1' && kind === 'Node'
}

/** Node objects have all their labels, and do not name their cluster. */
function fleetOfNodes(nodes: readonly Subject[]): Read<Fleet> {
  const malformed = nodes.flatMap((subject) => {
    const problem = nodeProblem(subject as unknown as Node)
    return problem === undefined
      ? []
      : [finding('InventoryInvalid', `Node ${subject.metadata.name}: ${problem}`, { subject })]
  })
  if (malformed.length > 0) return { findings: malformed }
  const shapes = nodes.map((node) => shapeOfNode(node as unknown as Node))
  const placeOf = (shape: Shape): Place => ({
    subject: nodes[shapes.indexOf(shape)],
    field: { path: 'status.allocatable', currentValue: shape.allocatable },
  })
  return checkFleet({ cluster: '', shapes, knows: () => true }, [], placeOf)
}

/**
 * Returns the inventories of the wanted cluster. If there are several clusters, or only others, it returns all
 * inventories and an error, which a run may allow.
 */
function chooseCluster(
  fleets: readonly Fleet[],
  cluster: string | undefined,
): { chosen: readonly Fleet[]; findings: Finding[] } {
  const present = [...new Set(fleets.map((fleet) => fleet.cluster))].sort()
  if (cluster === undefined) {
    const findings =
      present.length > 1
        ? [finding('SeveralClusters', `the package has inventories of the clusters ${listNames(present)}`)]
        : identityFindings(fleets)
    return { chosen: fleets, findings }
  }
  const chosen = fleets.filter((fleet) => fleet.cluster === cluster)
  if (chosen.length > 0 || fleets.length === 0) return { chosen, findings: identityFindings(chosen) }
  const sentence = `cluster ${cluster} has no inventory in the package, only ${listNames(present)}`
  return { chosen: fleets, findings: [finding('WrongCluster', sentence)] }
}

/** Reports inventories of one name that are of different clusters: a copy, or a cluster that replaces another. */
function identityFindings(fleets: readonly Fleet[]): Finding[] {
  const uids = [...new Set(fleets.flatMap(({ clusterUid }) => clusterUid ?? []))].sort()
  if (uids.length < 2) return []
  const sentence = `inventories of cluster ${fleets[0]?.cluster} have different clusterUids, ${listNames(uids)}`
  return [
    finding('SeveralClusters', sentence, {
      mend: 'Remove the inventory of the cluster that is gone, or give each cluster a name and a package of its own.',
    }),
  ]
}

function merge(fleets: readonly Fleet[]): Fleet {
  const clusterUid = fleets.find((fleet) => fleet.clusterUid !== undefined)?.clusterUid
  return {
    cluster: fleets[0]?.cluster ?? '',
    ...(clusterUid === undefined ? {} : { clusterUid }),
    observedAt:
      fleets
        .map(({ observedAt }) => observedAt ?? '')
        .sort()
        .at(-1) || undefined,
    shapes: fleets.flatMap(({ shapes }) => shapes),
    knows: (key) => fleets.every((fleet) => fleet.knows(key)),
  }
}

function checkFleet(fleet: Fleet, findings: Finding[], placeOf: (shape: Shape) => Place): Read<Fleet> {
  const { shapes } = fleet
  if (shapes.length === 0)
    return { value: fleet, findings: [...findings, finding('NoNodes', 'there are no nodes in the package')] }
  const twice = duplicateNames(shapes)
  if (twice.length > 0)
    return {
      findings: [...findings, finding('DuplicateNode', `the inventories name nodes twice: ${listNames(twice)}`)],
    }
  const unreadable = amountFindings(shapes, placeOf)
  return unreadable.length > 0 ? { findings: [...findings, ...unreadable] } : { value: fleet, findings }
}

/** Finds amounts of nodes that are not quantities, of whatever resource: pools and fit read them all. */
function amountFindings(shapes: readonly Shape[], placeOf: (shape: Shape) => Place): Finding[] {
  const known = new Map<string | number, string | undefined>()
  const problemOf = (amount: string | number) => {
    if (!known.has(amount)) known.set(amount, amountProblem(amount))
    return known.get(amount)
  }
  const problems = new Map<string, { shape: Shape; part: string; resource: string; alike: Shape[] }>()
  for (const shape of shapes)
    for (const part of ['allocatable', 'capacity'] as const)
      for (const [resource, amount] of Object.entries(shape[part] ?? {})) {
        const problem = problemOf(amount)
        if (problem === undefined) continue
        const other = problems.get(`${part} ${problem}`)
        if (other !== undefined) other.alike.push(shape)
        else problems.set(`${part} ${problem}`, { shape, part, resource, alike: [shape] })
      }
  return [...problems].map(([problem, { shape, part, resource, alike }]) => {
    const nodes = mergeNodes([...new Set(alike)])
    const who = nodes.nodeCount === 0 ? 'a declared shape' : nodesText(nodes)
    const sentence = `${part}.${resource} of ${who}: ${problem.slice(part.length + 1)}`
    return finding('InventoryInvalid', sentence, placeOf(shape))
  })
}

function amountProblem(amount: string | number): string | undefined {
  try {
    Quantity.parse(amount)
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/** Returns the names that occur more than once. */
function duplicateNames(shapes: readonly Shape[]): string[] {
  const { nodes } = mergeNodes(shapes)
  if (new Set(nodes).size === nodes.length) return []
  const seen = new Set<string>()
  const again = nodes.filter((name) => {
    const isKnown = seen.has(name)
    seen.add(name)
    return isKnown
  })
  return [...new Set(again)].sort()
}

/**
 * Finds nodes that two inventories of one cluster may both contain. Nodes without names cannot be told apart, so no
 * other inventory may have nodes with the same labels. Only labels that all of them export are compared.
 */
function duplicateCounts(fleets: readonly Fleet[]): Finding[] {
  if (fleets.length < 2 || !fleets.some(({ shapes }) => shapes.some(isCounted))) return []
  const seen = new Map<string, { fleet: Fleet; counts: boolean }>()
  for (const fleet of fleets)
    for (const shape of fleet.shapes.filter((one) => !isDeclared(one))) {
      const labels = Object.fromEntries(Object.entries(shape.labels).filter(([key]) => isKnown(fleets, key)))
      const text = shapeText({ labels })
      const key = JSON.stringify([fleet.cluster, text])
      const before = seen.get(key)
      const counts = isCounted(shape) || before?.counts === true
      if (before !== undefined && before.fleet !== fleet && counts) return [twiceFinding(fleet, text)]
      seen.set(key, { fleet: before?.fleet ?? fleet, counts })
    }
  return []
}

function isKnown(fleets: readonly Fleet[], key: string): boolean {
  return fleets.every((fleet) => fleet.knows(key))
}

function twiceFinding({ cluster }: Fleet, text: string): Finding {
  const sentence = `two inventories of ${cluster} have nodes of ${text}, and one of them only counts its nodes, so the nodes may be the same`
  return finding('NodesNotNamed', sentence)
}

/**
 * Reads a NodeInventory; without a value the findings contain an error. A truncated one is returned as it is, for runs
 * that allow it.
 */
export function readInventory(resource: Subject): Read<Fleet> {
  const invalid = validate('NodeInventory', resource)
  if (invalid.length > 0) {
    const place = (field: (typeof invalid)[number]['field']) => ({ subject: resource, field })
    return { findings: invalid.map(({ sentence, field }) => finding('InventoryInvalid', sentence, place(field))) }
  }
  const { spec } = resource as unknown as NodeInventory
  const shapes = spec.shapes.map(toShape)
  const places = spec.shapes.map((shape) => ['spec.shapes[]', shape] as const)
  const findings = unknownFields('NodeInventory', resource, [['spec', spec], ...places])
  const nodeCount = nodeCountOf(shapes)
  if (nodeCount !== spec.nodeCount) {
    const field = { path: 'spec.nodeCount', currentValue: spec.nodeCount, proposedValue: nodeCount }
    const sentence = `NodeInventory ${resource.metadata.name} has ${plural(nodeCount, 'node')}, but nodeCount is ${spec.nodeCount}`
    findings.push(finding('InventoryCut', sentence, { subject: resource, field }))
  }
  const knows = labelKeyMatcher(spec.labelKeys)
  const { cluster, clusterUid, observedAt } = spec
  const identity = { cluster, ...(clusterUid === undefined ? {} : { clusterUid }) }
  return { value: { ...identity, observedAt, shapes, knows }, findings }
}

function toShape(shape: NodeInventory['spec']['shapes'][number]): Shape {
  return {
    labels: shape.labels ?? {},
    taints: shape.taints ?? [],
    ready: shape.ready,
    unschedulable: shape.unschedulable ?? false,
    osImage: shape.osImage ?? '',
    capacity: shape.capacity ?? {},
    allocatable: shape.allocatable ?? {},
    ...(shape.count === undefined ? namedNodes(shape.nodes ?? []) : { nodes: [], nodeCount: shape.count }),
    uids: shape.uids,
    ...(shape.emptySince === undefined ? {} : { emptySince: shape.emptySince }),
  }
}

/** Returns the newest `observedAt` of the inventories and snapshots; undefined if none has one. */
export function newestTime(sources: readonly Subject[]): Date | undefined {
  const times = sources
    .map((source) => (source as { spec?: { observedAt?: unknown } | null }).spec?.observedAt)
    .filter((text): text is string => typeof text === 'string' && isTime(text))
    .map((text) => new Date(text).getTime())
  return times.length === 0 ? undefined : new Date(times.reduce((newest, time) => Math.max(newest, time)))
}

/** When nodes were read, and which of them have a clock that is ahead of that time. */
export interface Observation {
  /** RFC 3339; undefined where nothing tells the time. */
  readonly observedAt?: string
  readonly ahead: ReadonlyArray<{ readonly name: string; readonly milliseconds: number }>
}

/** What is known of the time at which nodes were read. */
export interface ReadTime {
  /** When the nodes were read, by the clock that read them; undefined where nothing is known. */
  readonly at?: Date
  /** Whether `at` is right whatever the heartbeats say: the time of an API server, or of a person. */
  readonly isSure?: boolean
  /** The clock of this machine: no heartbeat is of a later time. */
  readonly clock?: Date
}

/** Kubelets report every node at least this often, if nothing changes. */
const HEARTBEAT_MILLISECONDS = 300_000
/** A clock that is ahead by more than this is reported: NTP keeps clocks within a fraction of a second. */
const AHEAD_MILLISECONDS = 60_000
/** Of at most this many nodes a majority confirms a time, of more a twentieth, but at least five. */
const FEW_NODES = 9
const LEAST_OF_MANY = 5

/**
 * Returns when nodes were read. A time of reading counts if the confirmed heartbeat is at most five minutes before it,
 * since a file that was copied or checked out is not new; else that heartbeat does, but never one of the future. A
 * kubelet writes the heartbeat of its node by its own clock, so a time counts only if enough nodes have reached it.
 */
export function observationOf(nodes: readonly Node[], { at, isSure = false, clock }: ReadTime): Observation {
  // the kubelet of such a node is silent: its heartbeat is as old as its silence
  const speaking = nodes.filter((node) => !isSilent(node))
  const heard = (speaking.length === 0 ? nodes : speaking).flatMap((node) => {
    const text = lastHeartbeat(node)
    return text === undefined ? [] : [{ name: node.metadata.name, time: Date.parse(text) }]
  })
  const confirmed = confirmedTime(heard.map(({ time }) => time))
  const time = isSure ? at?.getTime() : timeOfReading(at?.getTime(), confirmed, clock?.getTime())
  if (time === undefined) return { ahead: [] }
  // heartbeats of one moment are up to five minutes apart
  const spread = time === at?.getTime() ? 0 : HEARTBEAT_MILLISECONDS
  const ahead = heard
    .map((one) => ({ name: one.name, milliseconds: one.time - time }))
    .filter(({ milliseconds }) => milliseconds > spread + AHEAD_MILLISECONDS)
    .sort((a, b) => b.milliseconds - a.milliseconds || (a.name < b.name ? -1 : 1))
  return { observedAt: timeText(time), ahead }
}

function timeOfReading(at: number | undefined, confirmed: number | undefined, clock = Number.POSITIVE_INFINITY) {
  if (confirmed === undefined) return undefined
  const isOfReading = at !== undefined && at >= confirmed && at - confirmed <= HEARTBEAT_MILLISECONDS
  return Math.min(isOfReading ? at : confirmed, clock)
}

/** Returns the newest time that enough nodes have reached; undefined without a time. */
function confirmedTime(times: readonly number[]): number | undefined {
  const count = times.length
  const enough = count <= FEW_NODES ? Math.floor(count / 2) + 1 : Math.max(LEAST_OF_MANY, Math.ceil(count / 20))
  return [...times].sort((a, b) => b - a)[enough - 1]
}
