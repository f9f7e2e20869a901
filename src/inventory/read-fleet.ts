import { type Finding, finding, listNames, type Subject } from '../finding/index.ts'
import type { Node } from '../kube/index.ts'
import type { Fleet, Shape } from './fleet.ts'
import { nodeProblem, shapeOfNode } from './node.ts'
import { readInventory } from './read-inventory.ts'

/** Whether an object is a source of nodes. */
export function isNodeSource({ apiVersion, kind }: Subject): boolean {
  return isNode({ apiVersion, kind }) || isInventory({ apiVersion, kind })
}

/**
 * The one fleet of a scope, from its NodeInventories or its Nodes. `cluster` is the one the policy or the run names.
 * Without a fleet there is an error among the findings;
 * with one there may be errors that a run can allow.
 */
export function readFleet(
  sources: readonly Subject[],
  cluster: string | undefined,
): { fleet?: Fleet; findings: Finding[] } {
  const nodes = sources.filter(isNode)
  const inventories = sources.filter(isInventory)
  const [firstNode] = nodes
  const [firstInventory] = inventories
  if (firstNode !== undefined && firstInventory !== undefined) {
    const sentence = `Node ${firstNode.metadata.name} stands beside NodeInventory ${firstInventory.metadata.name}`
    return { findings: [finding('TwoSources', sentence, { subject: firstNode })] }
  }
  if (firstNode !== undefined) return fleetOfNodes(nodes)
  const findings: Finding[] = []
  const fleets: Fleet[] = []
  for (const inventory of inventories) {
    const read = readInventory(inventory)
    findings.push(...read.findings)
    if (read.fleet !== undefined) fleets.push(read.fleet)
  }
  if (fleets.length < inventories.length) return { findings }
  const { chosen, findings: clusterFindings } = chooseCluster(fleets, cluster)
  return checked(merge(chosen), [...findings, ...clusterFindings])
}

function isNode({ apiVersion, kind }: Pick<Subject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === 'v1' && kind === 'Node'
}

function isInventory({ apiVersion, kind }: Pick<Subject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion.startsWith('nodefit.dev/') && kind === 'NodeInventory'
}

/** Node objects carry all their labels, and do not say which cluster they belong to. */
function fleetOfNodes(nodes: readonly Subject[]): { fleet?: Fleet; findings: Finding[] } {
  const malformed = nodes.flatMap((subject) => {
    const problem = nodeProblem(subject as unknown as Node)
    return problem === undefined
      ? []
      : [finding('InventoryInvalid', `Node ${subject.metadata.name}: ${problem}`, { subject })]
  })
  if (malformed.length > 0) return { findings: malformed }
  const shapes = nodes.map((node) => shapeOfNode(node as unknown as Node))
  return checked({ cluster: '', shapes, knows: () => true }, [])
}

/** The inventories of the cluster that is meant. Several, or only others, are an error, with all of them for those who allow it. */
function chooseCluster(
  fleets: readonly Fleet[],
  cluster: string | undefined,
): { chosen: readonly Fleet[]; findings: Finding[] } {
  const present = [...new Set(fleets.map((fleet) => fleet.cluster))].sort()
  if (cluster === undefined) {
    const findings =
      present.length > 1 ? [finding('SeveralClusters', `there are inventories of ${listNames(present)}`)] : []
    return { chosen: fleets, findings }
  }
  const chosen = fleets.filter((fleet) => fleet.cluster === cluster)
  if (chosen.length > 0 || fleets.length === 0) return { chosen, findings: [] }
  const sentence = `cluster ${cluster} is wanted, but there are only inventories of ${listNames(present)}`
  return { chosen: fleets, findings: [finding('WrongCluster', sentence)] }
}

function merge(fleets: readonly Fleet[]): Fleet {
  return {
    cluster: fleets[0]?.cluster ?? '',
    observedAt:
      fleets
        .map(({ observedAt }) => observedAt ?? '')
        .sort()
        .at(-1) || undefined,
    shapes: fleets.flatMap(({ shapes }) => shapes),
    knows: (key) => fleets.every((fleet) => fleet.knows(key)),
  }
}

function checked(fleet: Fleet, findings: Finding[]): { fleet?: Fleet; findings: Finding[] } {
  if (fleet.shapes.length === 0)
    return { fleet, findings: [...findings, finding('NoNodes', 'there are no nodes in the scope of the policy')] }
  const twice = namedTwice(fleet.shapes)
  if (twice.length > 0) return { findings: [...findings, finding('DuplicateNode', `named twice: ${listNames(twice)}`)] }
  return { fleet, findings }
}

function namedTwice(shapes: readonly Shape[]): string[] {
  const names = shapes.flatMap(({ nodes }) => nodes)
  if (new Set(names).size === names.length) return []
  names.sort()
  return [...new Set(names.filter((name, index) => name === names[index - 1]))]
}
