import { listNames, plural } from '../../finding/index.ts'
import { type Nodes, nodesText } from '../../inventory/index.ts'
import type { NodeIdentity } from '../../kube/index.ts'

/** A node as a sentence names it: by its name where it is one of today, else by what it is like. */
export function nodeText({ labels }: NodeIdentity, name?: string): string {
  if (name !== undefined) return `node ${name}`
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? 'a node without labels' : `a node with ${listNames(pairs, 5)}`
}

/** How many nodes there are today, and the first names, if any has one. */
export function todayText({ nodes, nodeCount }: Nodes): string {
  if (nodeCount === 0) return 'none of today’s nodes is there'
  const who = nodes.length === 0 ? '' : `: ${nodesText({ nodes: [...nodes].sort(), nodeCount })}`
  return `${plural(nodeCount, 'node')} of today${who}`
}
