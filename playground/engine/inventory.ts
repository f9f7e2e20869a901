import {
  DEFAULT_LABEL_KEYS,
  inventoryName,
  isNodeSource,
  readFleet,
  toInventory,
} from '../../src/facts/inventory/index.ts'
import { UserError } from '../../src/host/files/user-error.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import type { Texts } from './boxes.ts'
import { problemOf, readBox } from './read-box.ts'

/** What became of nodes, or why they stay. */
export type Shortened = { readonly text: string } | { readonly problem: string }

/**
 * Returns nodes as a NodeInventory with the usual labels and those that `more` names, as `nodefit inventory` writes it:
 * no addresses, no images, nodes alike once.
 */
export function shortenedNodes({ nodes }: Texts, more: readonly string[]): Shortened {
  try {
    const { items, problem } = readBox('nodes', nodes)
    if (problem !== undefined) return { problem: problem.sentence }
    const other = items.find(({ object }) => !isNodeSource(object))
    if (other !== undefined) throw new UserError(`${other.object.kind} ${other.object.metadata.name} is no node`)
    const { value, findings } = readFleet(
      items.map(({ object }) => object),
      undefined,
    )
    if (value === undefined) return { problem: findings[0]?.sentence ?? 'the nodes cannot be read' }
    const cluster = value.cluster === '' ? 'cluster' : value.cluster
    const labelKeys = [...new Set([...DEFAULT_LABEL_KEYS, ...more])].sort()
    const { observedAt } = value
    const options = { name: inventoryName(cluster), cluster, observedAt, labelKeys }
    return { text: writeYaml(toInventory(value.shapes, options)) }
  } catch (error) {
    return { problem: problemOf(error).sentence }
  }
}
