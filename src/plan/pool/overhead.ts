import { type Demand, demandOf, type Planned, type World } from '../../core/index.ts'
import { podSpecOf } from '../../core/object/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import { rendererOf } from '../../krm/remembered.ts'
import { daemonEligibility, type Labels, type Taint } from '../../kube/index.ts'
import { NO_NAME, refusalOf } from './match.ts'
import { larger, plus, type ResourceAxes, type Vector } from './resources.ts'

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
export interface NewNode {
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
export function isOn({ kind, pod }: Demand, { labels, taints }: NewNode): boolean {
  if (kind === 'pod')
    return daemonEligibility({ spec: pod }, { metadata: { name: NO_NAME, labels }, spec: { taints: [...taints] } })
      .shouldRun
  const { nodeSelector = {}, affinity, tolerations = [] } = pod
  return refusalOf({ nodeSelector, affinity, tolerations }, { name: NO_NAME, labels, taints }) === undefined
}
