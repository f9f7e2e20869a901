/** What `nodefit inventory` writes of objects as an API server gives them, without files between. */

import { poolLabelKeys } from '../../../src/facts/inventory/index.ts'
import { inventoryOf } from '../../../src/host/cli/inventory.ts'
import { snapshotOf } from '../../../src/host/files/snapshot-of.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../../src/krm/types.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

/** The objects of one time. */
export interface Exported {
  readonly nodes: readonly Any[]
  readonly pods: readonly Any[]
  readonly claims: readonly Any[]
  readonly pools: readonly KubernetesObject[]
  /** The snapshot that was written before. */
  readonly earlier?: KubernetesObject
}

/** Returns the inventory and the snapshot. */
export function exported({
  nodes,
  pods,
  claims,
  pools,
  earlier,
}: Exported): readonly [KubernetesObject, KubernetesObject] {
  // lists of an API server do not repeat their kind
  const items = (apiVersion: string, kind: string, all: readonly Any[]): Item[] =>
    all.map((object) => newItem({ apiVersion, kind, ...object }))
  const nodeItems = items('v1', 'Node', nodes)
  const inventory = inventoryOf(nodeItems, 'loop', { label: poolLabelKeys(pools) })
  const workload = {
    pods: items('v1', 'Pod', pods),
    claims: items('kubenodesmith.parawell.cloud/v1alpha1', 'NodeSmithClaim', claims),
    pools: pools.map(newItem),
    earlier: earlier === undefined ? [] : [newItem(earlier)],
  }
  const snapshot = snapshotOf(workload, nodeItems, inventory)
  return [inventory, snapshot] as unknown as readonly [KubernetesObject, KubernetesObject]
}
