import { listNames, plural } from '../finding/index.ts'

/** Some nodes: how many they are, and the names of those that an inventory names. Nobody makes up a name for the others. */
export interface Nodes {
  readonly nodes: readonly string[]
  /** Never less than there are names. */
  readonly nodeCount: number
}

/** Nodes that are all named. */
export function named(nodes: readonly string[]): Nodes {
  return { nodes, nodeCount: nodes.length }
}

/** Several lots of nodes as one; none may be in two of them. */
export function together(lots: readonly Nodes[]): Nodes {
  const [only, another] = lots
  if (only !== undefined && another === undefined) return { nodes: only.nodes, nodeCount: only.nodeCount }
  const nodes: string[] = []
  let nodeCount = 0
  for (const lot of lots) {
    for (const name of lot.nodes) nodes.push(name)
    nodeCount += lot.nodeCount
  }
  return { nodes, nodeCount }
}

/** Nodes for a message: the first names and how many more, or only how many where none is named. */
export function nodesText({ nodes, nodeCount }: Nodes): string {
  return nodes.length === 0 ? plural(nodeCount, 'node') : listNames(nodes, 3, nodeCount)
}
