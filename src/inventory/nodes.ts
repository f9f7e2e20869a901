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
  // of its length from the beginning: a list that grows is copied over and over
  const nodes = new Array<string>(lots.reduce((sum, lot) => sum + lot.nodes.length, 0))
  let at = 0
  for (const lot of lots) for (const name of lot.nodes) nodes[at++] = name
  return { nodes, nodeCount: nodeCountOf(lots) }
}

/** How many nodes several lots are; none may be in two of them. */
export function nodeCountOf(lots: readonly Nodes[]): number {
  return lots.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
}

/** Nodes for a message: the first names and how many more, or only how many where none is named. */
export function nodesText({ nodes, nodeCount }: Nodes): string {
  return nodes.length === 0 ? plural(nodeCount, 'node') : listNames(nodes, 3, nodeCount)
}
