import { type Amounts, amountsOf, quantitiesOf, raiseAmounts } from './amounts.ts'
import { podRequests } from './pod-requests.ts'
import { isSidecar } from './pod-sum.ts'
import type { Quantity } from './quantity.ts'
import type { Container, PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'

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
