import { demandOf, type Planned } from '../../core/index.ts'
import { podSpecOf } from '../../core/object/index.ts'
import { type Finding, listNames } from '../../krm/finding/index.ts'
import { writeFlowYaml } from '../../krm/write-yaml.ts'
import { finding } from './codes.ts'
import { isOn } from './overhead.ts'
import { labelsOf } from './pool.ts'
import { CPU, MEMORY, MIB, minus, PODS, ResourceAxes } from './resources.ts'
import type { PoolSettings } from './settings.ts'
import { DEFAULT_PODS } from './sizes.ts'

/**
 * Reports the DaemonSets for unknown node groups that would serve the new nodes of a pool, sized for the smallest node,
 * and the shape that, declared in an inventory, gives these nodes a group before the first of them joins.
 */
export function newShapeFindings(settings: PoolSettings, before: readonly Planned[]): Finding[] {
  const { taints, name, subject } = settings
  const labels = labelsOf(settings)
  const remainders = before
    .flatMap(({ objects }) => objects)
    .filter(({ object, group }) => group?.kind === 'remainder' && object.kind === 'DaemonSet')
    .filter(({ object }) => isOn(demandOf('pod', object.metadata.name, podSpecOf(object)), { labels, taints }))
    .map(({ object }) => object.metadata.name)
  if (remainders.length === 0) return []
  const shape = writeFlowYaml({
    labels,
    ...(taints.length === 0 ? {} : { taints }),
    allocatable: allocatableOf(settings),
    nodes: [],
  })
  const sentence = `${name}: DaemonSet ${listNames(remainders)} would serve its new nodes, sized for the smallest node; the shape that gives them a group is ${shape}`
  return [finding('NewNodesInRemainder', sentence, { subject: subject.object })]
}

/** Returns what a machine of the first size can allocate, in the words of a Node. */
function allocatableOf({ machines: [first], reserved }: PoolSettings): Record<string, string> {
  if (first === undefined) throw new Error('a pool without machines passes no schema')
  const { cpuCores, memoryMiB, pods = DEFAULT_PODS, resources = {} } = first
  const axes = new ResourceAxes([])
  const capacity = axes.vector({ cpu: cpuCores, memory: memoryMiB * MIB, pods }, 'down')
  const left = minus(capacity, axes.vector(reserved, 'up'))
  const memory = left[MEMORY] ?? 0
  return {
    cpu: `${left[CPU]}m`,
    memory: memory % MIB === 0 ? `${memory / MIB}Mi` : String(memory),
    pods: String(left[PODS]),
    ...Object.fromEntries(Object.entries(resources).map(([key, amount]) => [key, String(amount)])),
  }
}
