#!/usr/bin/env node
/** A function that sets the namespace of everything namespaced, as the catalog's function of that name does. */
import { edit, runFunction } from '../../dist/krm.js'

const CLUSTER_WIDE = new Set(['Kptfile', 'Node', 'NodeInventory', 'Namespace'])
const namespace = process.argv[2]

await runFunction((list) => ({
  ...list,
  items: list.items.map((item) =>
    CLUSTER_WIDE.has(item.object.kind)
      ? item
      : edit(item, (object) => ({ ...object, metadata: { ...object.metadata, namespace } })),
  ),
}))
