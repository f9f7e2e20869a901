import { listNames, plural } from '../finding/index.ts'

/** Lists that are given to one call: there is a limit to them, which depends on the stack. */
const MOST_ARGUMENTS = 1000
/** How many names a message says. */
const SHOWN_NAMES = 3

/** Some nodes: how many they are, and the names of those that an inventory names. Nobody makes up a name for the others. */
export interface Nodes {
  readonly nodes: readonly string[]
  /** Never less than there are names. */
  readonly nodeCount: number
  /** The first names, as many as a message says, where all of them are put together only for who asks. */
  readonly first?: readonly string[]
}

/** Nodes that are all named. */
export function namedNodes(nodes: readonly string[]): Nodes {
  return { nodes, nodeCount: nodes.length }
}

/** Several lots of nodes as one; none may be in two of them. */
export function mergeNodes(lots: readonly Nodes[]): Nodes {
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

/** Those of a sorted list of names that are not gone: of a long list that many share only the first are looked at, until somebody asks. */
export function nodesExcept(
  sorted: readonly string[],
  gone: ReadonlySet<string>,
  nodeCount = sorted.length - gone.size,
): Nodes {
  const isLeft = (name: string) => !gone.has(name)
  return {
    first: sorted
      .slice(0, gone.size + SHOWN_NAMES)
      .filter(isLeft)
      .slice(0, SHOWN_NAMES),
    nodeCount,
    get nodes() {
      return sorted.filter(isLeft)
    },
  }
}

/** Several lots of nodes as one, in the order of their names; these are put together once somebody asks for all. */
export function sortedNodes(lots: readonly Nodes[]): Nodes {
  return {
    first: lots.flatMap(firstNames).sort().slice(0, SHOWN_NAMES),
    nodeCount: nodeCountOf(lots),
    get nodes() {
      return [...mergeNodes(lots).nodes].sort()
    },
  }
}

/** How many nodes several lots are; none may be in two of them. */
export function nodeCountOf(lots: readonly Nodes[]): number {
  return lots.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
}

/** Nodes for a message: the first names and how many more, or only how many where none is named. */
export function nodesText(lot: Nodes): string {
  const first = firstNames(lot)
  return first.length === 0 ? plural(lot.nodeCount, 'node') : listNames(first, SHOWN_NAMES, lot.nodeCount)
}

/** The first names of sorted ones, as many as a message says. */
export function firstNames(lot: Nodes): readonly string[] {
  return lot.first ?? lot.nodes.slice(0, SHOWN_NAMES)
}
