import { type Amounts, addAmounts, amountsOf, quantitiesOf, raiseAmounts } from './amounts.ts'
import type { Quantity } from './quantity.ts'
import { isPodLevelResource } from './resource-name.ts'
import type { Container, PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'

/**
 * What a pod asks of its node (`resource.PodRequests` of k8s.io/component-helpers): containers and sidecars added
 * up, but at least what any init container needs beside the sidecars started before it; pod-level requests replace
 * the sum where they are set; overhead comes on top. Throws `KubeError` on a malformed quantity.
 */
export function podRequests(spec: PodSpec): Record<string, Quantity> {
  const sum = sumOfContainers(spec, 'requests')
  for (const [name, quantity] of amountsOf(spec.resources?.requests)) {
    if (isPodLevelResource(name)) sum.set(name, quantity)
  }
  addAmounts(sum, amountsOf(spec.overhead))
  return Object.fromEntries(sum)
}

/**
 * What a pod may use at most (`resource.PodLimits`), added up as its requests are; overhead comes on top of a limit that is
 * there and not zero. Throws `KubeError` on a malformed quantity.
 */
export function podLimits(spec: PodSpec): Record<string, Quantity> {
  const sum = sumOfContainers(spec, 'limits')
  for (const [name, quantity] of amountsOf(spec.resources?.limits)) {
    if (isPodLevelResource(name)) sum.set(name, quantity)
  }
  for (const [name, quantity] of amountsOf(spec.overhead)) {
    const limit = sum.get(name)
    if (limit !== undefined && limit.nanoValue() !== 0n) sum.set(name, limit.plus(quantity))
  }
  return Object.fromEntries(sum)
}

/** The two sides of a container's resources. */
export type ResourceSide = 'requests' | 'limits'

/**
 * What a pod's containers come to: containers and sidecars added up, but at least what any init container needs beside the
 * sidecars started before it (`AggregateContainerRequests`, `AggregateContainerLimits`).
 */
export function sumOfContainers(spec: PodSpec, side: ResourceSide): Amounts {
  const sum: Amounts = new Map()
  for (const container of spec.containers ?? []) addAmounts(sum, amountsOf(container.resources?.[side]))
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[side])
    if (isSidecar(container)) {
      addAmounts(sum, own)
      addAmounts(sidecars, own)
      raiseAmounts(starting, sidecars)
    } else {
      const needed = new Map(own)
      addAmounts(needed, sidecars)
      raiseAmounts(starting, needed)
    }
  }
  raiseAmounts(sum, starting)
  return sum
}

/** Whether an init container goes on running beside the containers. */
function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always'
}

/** A pod that was started, as far as its node counts it. */
export interface RunningPod {
  readonly spec: PodSpec
  readonly status?: PodStatus
}

export interface PodStatus {
  readonly phase?: string
  readonly conditions?: ReadonlyArray<{ type?: string; reason?: string }>
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
}

interface ContainerStatus {
  readonly name?: string
  readonly resources?: ResourceRequirements | null
  readonly allocatedResources?: ResourceQuantities | null
}

/**
 * What the scheduler counts of a pod on its node: nothing once it has ended; while a container is resized in place, the most of
 * what it asks for, has and was promised (`PodRequests` with `UseStatusResources`). Throws `KubeError` on a malformed quantity.
 */
export function usedByPod({ spec, status }: RunningPod): Record<string, Quantity> | undefined {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return undefined
  const statuses = new Map(
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((one) => [one.name, one]),
  )
  const pending = status?.conditions?.find(({ type }) => type === 'PodResizePending')
  const isInfeasible = pending?.reason === 'Infeasible'
  const counted = (container: Container) => resized(container, statuses.get(container.name), isInfeasible)
  return podRequests({
    ...spec,
    containers: spec.containers?.map(counted),
    initContainers: spec.initContainers?.map((one) => (isSidecar(one) ? counted(one) : one)),
  })
}

/** `determineContainerReqs`. */
function resized(container: Container, status: ContainerStatus | undefined, isInfeasible: boolean): Container {
  if (status?.resources === undefined || status.resources === null) return container
  const requests: Amounts = isInfeasible ? new Map() : amountsOf(container.resources?.requests)
  raiseAmounts(requests, amountsOf(status.resources.requests))
  raiseAmounts(requests, amountsOf(status.allocatedResources))
  return { ...container, resources: { ...container.resources, requests: quantitiesOf(requests) } }
}
