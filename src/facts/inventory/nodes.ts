import { listNames, plural } from '../../krm/finding/index.ts'

/** How many lists one call takes as arguments; more may overflow the stack. */
const MOST_ARGUMENTS = 1000
/** How many names a message shows. */
const SHOWN_NAMES = 3

/** A set of nodes: its size, and the names of those that an inventory names. The others have no names. */
export interface Nodes {
  readonly nodes: readonly string[]
  /** At least the number of names. */
  readonly nodeCount: number
  /** The first names, as many as a message shows, if the full list is built only on demand. */
  readonly first?: readonly string[]
}

/** Returns nodes that all have names. */
export function namedNodes(nodes: readonly string[]): Nodes {
  return { nodes, nodeCount: nodes.length }
}

/** Merges disjoint sets of nodes into one. */
export function mergeNodes(lots: readonly Nodes[]): Nodes {
  const [only, another] = lots
  if (only !== undefined && another === undefined) return { nodes: only.nodes, nodeCount: only.nodeCount }
  return { nodes: concatLists(lots.map(({ nodes }) => nodes)), nodeCount: nodeCountOf(lots) }
}

/** Concatenates lists. `concat` copies each list as a whole, several times faster than `flat` or a loop over names. */
function concatLists(lists: ReadonlyArray<readonly string[]>): readonly string[] {
  if (lists.length <= MOST_ARGUMENTS) return ([] as string[]).concat(...lists)
  const parts: Array<readonly string[]> = []
  for (let at = 0; at < lists.length; at += MOST_ARGUMENTS)
    parts.push(concatLists(lists.slice(at, at + MOST_ARGUMENTS)))
  return concatLists(parts)
}

/**
 * Returns the nodes of a sorted list that are not in `gone`. Many callers share a long list, so only its first names
 * are read until somebody asks for all.
 */
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

/** Merges disjoint sets of nodes, sorted by name; the full list is built on demand. */
export function sortedNodes(lots: readonly Nodes[]): Nodes {
  return {
    first: lots.flatMap(firstNames).sort().slice(0, SHOWN_NAMES),
    nodeCount: nodeCountOf(lots),
    get nodes() {
      return [...mergeNodes(lots).nodes].sort()
    },
  }
}

/** Returns the total size of disjoint sets of nodes. */
export function nodeCountOf(lots: readonly Nodes[]): number {
  return lots.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
}

/** Formats nodes for a message: the first names and how many more, or only the count if none is named. */
export function nodesText(lot: Nodes): string {
  const first = firstNames(lot)
  return first.length === 0 ? plural(lot.nodeCount, 'node') : listNames(first, SHOWN_NAMES, lot.nodeCount)
}

/** Returns the first names of sorted nodes, as many as a message shows. */
export function firstNames(lot: Nodes): readonly string[] {
  return lot.first ?? lot.nodes.slice(0, SHOWN_NAMES)
}
