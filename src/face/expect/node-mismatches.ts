import type { GroupLine } from '../../core/index.ts'
import { nodesText } from '../../facts/inventory/index.ts'
import { plural } from '../../krm/finding/index.ts'
import { isGroupCalled } from '../index.ts'
import { type Mismatch, NOTHING, WITHOUT } from './mismatch.ts'
import type { TestedPolicy } from './tested-policy.ts'

/** Compares the groups that have nodes, and how many each has. */
export function groupMismatches(expected: Readonly<Record<string, number>>, { groups }: TestedPolicy): Mismatch[] {
  const named = Object.entries(expected).map(([name, count]) => ({
    name,
    count,
    line: groups.find((line) => isGroupCalled(line, name)),
  }))
  const wrong = named.filter(({ count, line }) => line?.nodeCount !== count)
  const listed = new Set(named.map(({ line }) => line))
  const more = groups.filter((line) => line.nodeCount > 0 && !listed.has(line))
  return [
    ...wrong.map(({ name, count, line }) => ({
      what: `group ${name}`,
      expected: plural(count, 'node'),
      got: line === undefined ? 'no such group' : countText(line),
    })),
    ...more.map((line) => ({ what: `group ${line.name}`, expected: NOTHING, got: countText(line) })),
  ]
}

function countText(line: GroupLine): string {
  return line.nodes.length === 0
    ? plural(line.nodeCount, 'node')
    : `${plural(line.nodeCount, 'node')}: ${nodesText(line)}`
}

/** Compares the nodes on which nothing starts, by name; an inventory that only counts has nodes without one. */
export function withoutMismatches(expected: readonly string[], { left, servedBy }: TestedPolicy): Mismatch[] {
  const reasons = new Map(left.flatMap(({ nodes, reason }) => nodes.map((name) => [name, reason])))
  const served = expected.filter((name) => !reasons.has(name))
  const more = [...reasons].filter(([name]) => !expected.includes(name))
  const unnamed = left.filter(({ nodes, nodeCount }) => nodeCount > nodes.length)
  return [
    ...served.map((name) => ({ what: `node ${name}`, expected: WITHOUT, got: servedBy(name) ?? 'no such node' })),
    ...more.map(([name, reason]) => ({ what: `node ${name}`, expected: 'served', got: `${WITHOUT}: ${reason}` })),
    ...unnamed.map(({ nodes, nodeCount, reason }) => ({
      what: `${plural(nodeCount - nodes.length, 'node')} without a name`,
      expected: 'served',
      got: `${WITHOUT}: ${reason}`,
    })),
  ]
}
