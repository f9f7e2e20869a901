import { isNodeInventory } from '../../kinds/index.ts'
import { type Finding, listNames, type Place, type Read, type Subject } from '../../krm/finding/index.ts'
import { KubeError, type Node, Quantity } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { type Fleet, isCounted, isDeclared, type Shape, shapeText } from './fleet.ts'
import { mergeNodes, nodesText } from './nodes.ts'
import { readInventory } from './read-inventory.ts'
import { nodeProblem, shapeOfNode } from './shapes.ts'

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

/** Finds amounts of cpu and memory that are not quantities. Other resources are checked where they are used. */
function amountFindings(shapes: readonly Shape[], placeOf: (shape: Shape) => Place): Finding[] {
  const problems = new Map<string, Shape[]>()
  for (const shape of shapes) {
    const problem = amountProblem(shape.allocatable.cpu) ?? amountProblem(shape.allocatable.memory)
    const alike = problem === undefined ? undefined : problems.get(problem)
    if (alike !== undefined) alike.push(shape)
    else if (problem !== undefined) problems.set(problem, [shape])
  }
  return [...problems].flatMap(([problem, [first, ...others]]) => {
    if (first === undefined) return []
    const nodes = mergeNodes([first, ...others])
    const who = nodes.nodeCount === 0 ? 'a declared shape' : nodesText(nodes)
    return finding('InventoryInvalid', `allocatable of ${who}: ${problem}`, placeOf(first))
  })
}

function amountProblem(amount: string | number | undefined): string | undefined {
  if (amount === undefined) return undefined
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
