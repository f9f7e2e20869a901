import { NODEFIT } from '../../kinds/index.ts'
import { isCounted, type Shape } from './fleet.ts'
import { labelKeyMatcher } from './label-keys.ts'
import { nodeCountOf } from './nodes.ts'
import { toShapes } from './shapes.ts'

/** The options of an inventory's writer. */
export interface InventoryOptions {
  readonly name: string
  readonly cluster: string
  readonly clusterUid?: string
  readonly observedAt?: string
  readonly labelKeys: readonly string[]
  readonly exact?: boolean
  readonly uid?: boolean
  /** Writes counts instead of names and uids. */
  readonly counts?: boolean
}

/**
 * Returns the name of a cluster's inventory: the cluster's name, with characters replaced that no object name may have.
 */
export function inventoryName(cluster: string): string {
  return cluster.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')
}

/**
 * Writes a NodeInventory with the chosen labels only, its nodes merged into shapes, in an order that depends on the
 * content only.
 */
export function toInventory(nodes: readonly Shape[], options: InventoryOptions): Record<string, unknown> {
  const isExported = labelKeyMatcher(options.labelKeys)
  const trimmed = nodes.map((node) => ({
    ...node,
    labels: Object.fromEntries(
      Object.entries(node.labels)
        .filter(([key]) => isExported(key))
        .sort(),
    ),
    uids: options.uid ? node.uids : undefined,
  }))
  const shapes = toShapes(trimmed, { exact: options.exact })
  return {
    apiVersion: NODEFIT,
    kind: 'NodeInventory',
    metadata: { name: options.name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    spec: {
      cluster: options.cluster,
      ...(options.clusterUid === undefined ? {} : { clusterUid: options.clusterUid }),
      ...(options.observedAt === undefined ? {} : { observedAt: options.observedAt }),
      labelKeys: [...options.labelKeys],
      nodeCount: nodeCountOf(shapes),
      shapes: shapes.map((shape) => shapeFields(shape, options.counts === true)),
    },
  }
}

/** Writes a shape without empty or false fields. */
function shapeFields(shape: Shape, counts: boolean): Record<string, unknown> {
  const { labels, taints, ready, unschedulable, osImage, capacity, allocatable, nodes, nodeCount, uids, emptySince } =
    shape
  return {
    labels,
    ...(taints.length > 0 ? { taints } : {}),
    ...(ready === undefined ? {} : { ready }),
    ...(unschedulable ? { unschedulable } : {}),
    ...(osImage === '' ? {} : { osImage }),
    capacity,
    allocatable,
    ...(counts || isCounted(shape) ? { count: nodeCount } : { nodes, ...(uids === undefined ? {} : { uids }) }),
    ...(emptySince === undefined ? {} : { emptySince }),
  }
}
