import { isNodeSource } from '../../facts/inventory/index.ts'
import { releaseTemplate } from '../../fate/index.ts'
import {
  isNodefitTest,
  isNodeInventory,
  isRenderConfig,
  isSizingPolicy,
  isWorkloadSnapshot,
} from '../../kinds/index.ts'
import { isWireAnnotation } from '../../krm/annotation.ts'
import { identityOf, packageOf } from '../../krm/identity.ts'
import { newItem } from '../../krm/item.ts'
import { memberOf } from '../../krm/map.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { PolicyTest } from './read-test.ts'
import { inventoryOfNodes } from './test-nodes.ts'

/** The cluster of a test whose package names none. */
const CLUSTER = 'test'

/**
 * Returns the items that a test renders: those of its package, with its own nodes and objects in place of theirs. What
 * was rendered before is among them only where the test takes it as earlier output; else templates are as they were
 * before the first run.
 */
export function itemsOfTest({ item, spec }: PolicyTest, all: readonly Item[]): Item[] {
  const { nodes, inventory, now, objects = [], earlier = false } = spec
  const own = objects.map((object) => placedLike(item, object as KubernetesObject))
  const replaced = new Set(own.map(({ object }) => identityOf(object)))
  const inPackage = all.filter(
    (one) => packageOf(one) === packageOf(item) && !isNodefitTest(one.object) && !replaced.has(identityOf(one.object)),
  )
  const kept = earlier ? inPackage : inPackage.filter(isNotRendered).map((one) => releaseTemplate(one).item)
  if (nodes !== undefined) {
    const others = kept.filter(({ object }) => !isNodeSource(object) && !isWorkloadSnapshot(object))
    const cluster = clusterOf([...own, ...kept])
    return [...others, ...own, placedLike(item, inventoryOfNodes(nodes, { cluster, now }))]
  }
  const isLeft = ({ object }: Item) =>
    inventory === undefined || !isNodeSource(object) || (isNodeInventory(object) && object.metadata.name === inventory)
  return [...kept, ...own].filter(isLeft)
}

function isNotRendered({ object }: Item): boolean {
  return ownerOf(object) === undefined
}

/** Returns an object of a test as an item of its file, so that findings about it lead there. */
function placedLike({ object: test }: Item, object: KubernetesObject): Item {
  const place = Object.entries(test.metadata.annotations ?? {}).filter(([key]) => isWireAnnotation(key))
  const annotations = { ...object.metadata.annotations, ...Object.fromEntries(place) }
  return newItem({ ...object, metadata: { ...object.metadata, annotations } })
}

/** Returns the cluster that the package is for: as a policy, its RenderConfig or an inventory names it. */
function clusterOf(items: readonly Item[]): string {
  const named = [isSizingPolicy, isRenderConfig, isNodeInventory].flatMap((is) =>
    items.flatMap(({ object }) => (is(object) ? [memberOf(object.spec, 'cluster')] : [])),
  )
  return named.find((name): name is string => typeof name === 'string' && name !== '') ?? CLUSTER
}
