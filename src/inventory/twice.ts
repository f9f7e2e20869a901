/** Nodes that the inventories of a cluster hold twice. */
import type { Finding } from '../finding/index.ts'
import { finding } from './codes.ts'
import { type Fleet, isCounted, isDeclared, type Shape, shapeText } from './fleet.ts'
import { mergeNodes } from './nodes.ts'

/** The names that are there more than once. */
export function duplicateNames(shapes: readonly Shape[]): string[] {
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
 * Nodes without names cannot be told from others: of what one inventory counts, another of the same cluster must have no node
 * with the same labels. Labels are compared as far as all of them export them.
 */
export function duplicateCounts(fleets: readonly Fleet[]): Finding[] {
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
  const sentence = `two inventories of ${cluster} have nodes of ${text} and one only counts them, so they may be the same`
  return finding('NodesNotNamed', sentence)
}
