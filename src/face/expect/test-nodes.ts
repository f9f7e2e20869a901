import { NODEFIT } from '../../kinds/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { TestSpec } from './read-test.ts'

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
