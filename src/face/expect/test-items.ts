import { isNodeSource } from '../../facts/inventory/index.ts'
import { releaseTemplate } from '../../fate/index.ts'
import {
  isNodefitTest,
  isNodeInventory,
  isRenderConfig,
  isSizingPolicy,
  isWorkloadSnapshot,
  NODEFIT,
} from '../../kinds/index.ts'
import { identityOf, isWireAnnotation, packageOf } from '../../krm/identity.ts'
import { newItem } from '../../krm/item.ts'
import { memberOf } from '../../krm/map.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { PolicyTest, TestSpec } from './read-test.ts'

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

type NodeLine = NonNullable<TestSpec['nodes']>[number]

const TYPE = 'node.kubernetes.io/instance-type'
const HOSTNAME = 'kubernetes.io/hostname'
const USUAL_LABELS = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' }

/**
 * Returns the nodes of a test as the inventory of a cluster. A line with a count gives as many nodes as alike as the
 * nodes of a cluster are: each has a name and a hostname of its own.
 */
export function inventoryOfNodes(
  lines: readonly NodeLine[],
  { cluster, now }: { cluster: string; now?: string },
): KubernetesObject {
  const shapes = lines.flatMap(shapesOf)
  return {
    apiVersion: NODEFIT,
    kind: 'NodeInventory',
    metadata: { name: 'nodes-of-the-test' },
    spec: {
      cluster,
      ...(now === undefined ? {} : { observedAt: now }),
      labelKeys: ['*'],
      nodeCount: shapes.reduce((sum, { nodes }) => sum + nodes.length, 0),
      shapes,
    },
  }
}

function shapesOf(line: NodeLine) {
  const { name, count } = line
  if (count === 0) return [shapeOf(line)]
  const names = count === undefined ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`)
  return names.map((own) => shapeOf(line, own))
}

function shapeOf({ type, cpu, memory, labels, taints, ready = true, unschedulable }: NodeLine, name?: string) {
  const all = {
    ...USUAL_LABELS,
    ...(name === undefined ? {} : { [HOSTNAME]: name }),
    ...(type === undefined ? {} : { [TYPE]: type }),
    ...labels,
  }
  return {
    labels: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)),
    ...(taints === undefined ? {} : { taints }),
    ready: ready ? 'True' : 'False',
    ...(unschedulable === true ? { unschedulable } : {}),
    allocatable: { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) },
    nodes: name === undefined ? [] : [name],
  }
}
