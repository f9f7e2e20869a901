import { type Amounts, addAmounts, amountsOf, quantitiesOf, raiseAmounts } from './amounts.ts'
import type { Quantity } from './quantity.ts'
import { isPodLevelResource } from './resource-name.ts'
import type { Container, PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'

/**
 * Returns the resources that a pod requests from its node (`resource.PodRequests` of k8s.io/component-helpers): the sum
 * of containers and sidecars, but at least what each init container needs beside the sidecars started before it.
 * Pod-level requests replace that sum where they are set; overhead is added. Throws `KubeError` on a malformed
 * quantity.
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
 * Returns the limits of a pod (`resource.PodLimits`), summed like its requests. Overhead is added only to a limit that
 * is set and not zero. Throws `KubeError` on a malformed quantity.
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

/** The sides of a container's resources. */
export type ResourceSide = 'requests' | 'limits'

/**
 * Sums the containers of a pod: containers and sidecars, but at least what each init container needs beside the
 * sidecars started before it (`AggregateContainerRequests`, `AggregateContainerLimits`).
 */
export function sumOfContainers(spec: PodSpec, side: ResourceSide): Amounts {
  const sum: Amounts = new Map()
  for (const container of spec.containers ?? []) addAmounts(sum, amountsOf(container.resources?.[side]))
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsOf(container.resources?.[side])
    if (isSidecar(container)) {
      addAmounts(sum, amounts)
      addAmounts(sidecars, amounts)
      raiseAmounts(starting, sidecars)
    } else {
      const needed = new Map(amounts)
      addAmounts(needed, sidecars)
      raiseAmounts(starting, needed)
    }
  }
  raiseAmounts(sum, starting)
  return sum
}

/** Whether an init container keeps running beside the containers. */
function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always'
}

/** The part of a running pod that its node counts. */
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
 * Returns what the scheduler counts for a pod on its node: undefined once the pod has ended; while a container is
 * resized in place, the largest of its requested, actual and allocated resources (`PodRequests` with
 * `UseStatusResources`). Throws `KubeError` on a malformed quantity.
 */
export function usedByPod({ spec, status }: RunningPod): Record<string, Quantity> | undefined {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return undefined
  const statuses = new Map(
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((one) => [one.name, one]),
  )
  const pending = status?.conditions?.find(({ type }) => type === 'PodResizePending')
  const isInfeasible = pending?.reason === 'Infeasible'
  const counted = (container: Container) => resizedContainer(container, statuses.get(container.name), isInfeasible)
  return podRequests({
    ...spec,
    containers: spec.containers?.map(counted),
    initContainers: spec.initContainers?.map((one) => (isSidecar(one) ? counted(one) : one)),
  })
}

/** `determineContainerReqs`. */
function resizedContainer(container: Container, status: ContainerStatus | undefined, isInfeasible: boolean): Container {
  if (status?.resources === undefined || status.resources === null) return container
  const requests: Amounts = isInfeasible ? new Map() : amountsOf(container.resources?.requests)
  raiseAmounts(requests, amountsOf(status.resources.requests))
  raiseAmounts(requests, amountsOf(status.allocatedResources))
  return { ...container, resources: { ...container.resources, requests: quantitiesOf(requests) } }
}
