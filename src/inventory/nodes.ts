import { listNames, plural } from '../finding/index.ts'

/** Lists that are given to one call: there is a limit to them, which depends on the stack. */
const MOST_ARGUMENTS = 1000

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
  return { nodes: joined(lots.map(({ nodes }) => nodes)), nodeCount: nodeCountOf(lots) }
}

/** Several lists as one: `concat` copies each as a whole, several times faster than `flat` or a loop takes name by name. */
function joined(lists: ReadonlyArray<readonly string[]>): readonly string[] {
  if (lists.length <= MOST_ARGUMENTS) return ([] as string[]).concat(...lists)
  const parts: Array<readonly string[]> = []
  for (let at = 0; at < lists.length; at += MOST_ARGUMENTS) parts.push(joined(lists.slice(at, at + MOST_ARGUMENTS)))
  return joined(parts)
}

/** How many nodes several lots are; none may be in two of them. */
export function nodeCountOf(lots: readonly Nodes[]): number {
  return lots.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
}

/** Nodes for a message: the first names and how many more, or only how many where none is named. */
export function nodesText({ nodes, nodeCount }: Nodes): string {
  return nodes.length === 0 ? plural(nodeCount, 'node') : listNames(nodes, 3, nodeCount)
}
