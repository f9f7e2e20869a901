import { type Demand, demandOf, type Planned, type World } from '../../core/index.ts'
import { podSpecOf } from '../../core/object/index.ts'
import { type Finding, listNames } from '../../krm/finding.ts'
import { isLocalConfig } from '../../krm/identity.ts'
import { rendererOf } from '../../krm/remembered.ts'
import { writeFlowYaml } from '../../krm/write-yaml.ts'
import { daemonEligibility, type Labels, type Taint } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { NO_NAME, refusalOf } from './pods.ts'
import { labelsOf } from './pool.ts'
import { CPU, larger, MEMORY, MIB, minus, PODS, plus, ResourceAxes, type Vector } from './resources.ts'
import type { PoolSettings } from './settings.ts'
import { DEFAULT_PODS } from './sizes.ts'

/**
 * Returns what runs on each new node by itself: what the planners before this one ask of it, and the DaemonSets of the
 * package that are applied as they are. A template that is rendered per group is not.
 */
export function agentsOf(world: World, before: readonly Planned[]): readonly Demand[] {
  const kept = new Set(before.flatMap(({ isEnabled, source }) => (isEnabled && source !== undefined ? [source] : [])))
  const applied = world.items.filter((item) => {
    const { object } = item
    const isDaemonSet = object.apiVersion === 'apps/v1' && object.kind === 'DaemonSet'
    return (
      isDaemonSet && rendererOf(object) === undefined && !isLocalConfig(object.metadata.annotations) && !kept.has(item)
    )
  })
  return [
    ...before.flatMap(({ demand }) => demand),
    ...applied.map(({ object }) => demandOf('pod', object.metadata.name, podSpecOf(object))),
  ]
}

/** A new node of a pool. */
interface NewNode {
  readonly labels: Labels
  readonly taints: readonly Taint[]
}

/** Returns what agents request of a new node, each with its pod, and at least what nodes of the pool show. */
export function overheadOf(
  agents: readonly Demand[],
  node: NewNode,
  axes: ResourceAxes,
  { declared, shown }: { readonly declared: Vector; readonly shown: readonly Vector[] },
): Vector {
  const requests = agents
    .filter((agent) => isOn(agent, node))
    .map(({ requests = {} }) =>
      axes.vector(
        { ...Object.fromEntries(Object.entries(requests).map(([name, amount]) => [name, String(amount)])), pods: 1 },
        'up',
      ),
    )
  return shown.reduce<Vector>(larger, requests.reduce<Vector>(plus, declared))
}

/** Whether an agent runs on a new node. The DaemonSet controller adds tolerations to its pods, nobody to a Ticket's. */
function isOn({ kind, pod }: Demand, { labels, taints }: NewNode): boolean {
  if (kind === 'pod')
    return daemonEligibility({ spec: pod }, { metadata: { name: NO_NAME, labels }, spec: { taints: [...taints] } })
      .shouldRun
  const { nodeSelector = {}, affinity, tolerations = [] } = pod
  return refusalOf({ nodeSelector, affinity, tolerations }, { name: NO_NAME, labels, taints }) === undefined
}

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
