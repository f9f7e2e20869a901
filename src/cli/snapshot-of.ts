import { type PodObject, podProblem, toSnapshot } from '../inventory/index.ts'
import type { Item } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'
import { Failure } from './failure.ts'

/** The WorkloadSnapshot of the Pod objects among the items, of the same cluster and time as the NodeInventory. Throws `Failure`. */
export function snapshotOf(
  items: readonly Item[],
  nodes: readonly Item[],
  { metadata, spec }: Record<string, unknown>,
): Record<string, unknown> {
  const others = items.find(({ object }) => object.apiVersion !== 'v1' || object.kind !== 'Pod')
  if (others !== undefined) throw new Failure(`${others.object.kind} ${others.object.metadata.name} is not a Pod`)
  const pods = items.map(({ object }) => object as unknown as PodObject)
  for (const pod of pods) {
    const problem = podProblem(pod)
    if (problem !== undefined) throw new Failure(`Pod ${pod.metadata.name}: ${problem}`)
  }
  const names = nodes.map(({ object }) => object.metadata.name)
  const places = new Set(pods.flatMap((pod) => (pod.spec as PodSpec | undefined)?.nodeName ?? []))
  if (places.size > 0 && !names.some((name) => places.has(name)))
    throw new Failure('WrongCluster: the pods are on none of the nodes')
  const { name } = metadata as { name: string }
  const { cluster, observedAt } = spec as { cluster: string; observedAt?: string }
  return toSnapshot(pods, { name, cluster, observedAt, nodes: names })
}
