/** What kubectl prints of the nodes of real clusters, in testdata/nodes. */
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { inventoryOf } from '../../src/host/cli/inventory.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'

const FOLDER = new URL('../../testdata/nodes/', import.meta.url)

/** The names of the files. */
export const NODE_LISTS = readdirSync(FOLDER).sort()

/** The Nodes of a file. */
export function nodesIn(file: string): KubernetesObject[] {
  return (parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { items: KubernetesObject[] }).items
}

/** The inventory that the command writes of the nodes. */
export function inventoryFrom(
  nodes: readonly KubernetesObject[],
  options: Parameters<typeof inventoryOf>[2] = {},
): KubernetesObject {
  const items = nodes.map((node) => newItem(node))
  return inventoryOf(items, 'prod', options) as unknown as KubernetesObject
}
