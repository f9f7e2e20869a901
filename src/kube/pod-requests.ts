import { type Amounts, addAmounts, amountsOf, quantitiesOf, raiseAmounts } from './amounts.ts'
import { isQualifiedName } from './label.ts'
import { Quantity } from './quantity.ts'
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
type ResourceSide = 'requests' | 'limits'

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

interface PodStatus {
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

const HUGEPAGES = 'hugepages-'
const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage'])
const NATIVE_DOMAIN = 'kubernetes.io/'

/** Whether the resource is huge pages of one size, such as `hugepages-2Mi`. */
export function isHugePages(name: string): boolean {
  return name.startsWith(HUGEPAGES)
}

/** Returns the page size in the name of a huge page resource, as text. */
export function pageSizeOf(name: string): string {
  return name.slice(HUGEPAGES.length)
}

/** Whether the resource is one of Kubernetes itself (`IsNativeResource`). */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes(NATIVE_DOMAIN)
}

/** Whether the resource comes from a device plugin (`IsExtendedResourceName`). */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`)
}

/**
 * Whether a limit may exceed its request, which huge pages and extended resources do not allow (`IsOvercommitAllowed`).
 */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name)
}

/** Whether the resource may be set at pod level (`IsSupportedPodLevelResource`). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name)
}

/** Whether a container may request the resource (`validateContainerResourceName`). */
export function isContainerResource(name: string): boolean {
  if (!isQualifiedName(name)) return false
  if (!name.includes('/')) return STANDARD.has(name) || isHugePages(name)
  return isNativeResource(name) || isExtendedResource(name)
}

const ONE = Quantity.of(1n, 'DecimalSI')

/** A resource of which a node has less room than a pod requests: cpu in thousandths, others in whole units. */
export interface ResourceShortage {
  readonly resource: string
  readonly requested: bigint
  readonly allocatable: bigint
  /** Allocatable less the requests of other pods. */
  readonly free: bigint
}

/**
 * Returns each resource that a node has too little of for a pod (`fitsRequest` of the scheduler's NodeResourcesFit). A
 * request is rounded up to whole units, cpu to thousandths, and compared with allocatable less `used`; the pod itself
 * counts one against `pods`. A resource that the node does not list is 0. Throws `KubeError` on a malformed quantity.
 */
export function resourceShortages(
  requests: Readonly<Record<string, Quantity>>,
  allocatable: ResourceQuantities,
  used: ResourceQuantities = {},
): ResourceShortage[] {
  return [...Object.entries(requests), ['pods', ONE] as const].flatMap(([resource, amount]) => {
    const requested = units(resource, amount)
    if (requested === 0n) return []
    const total = unitsIn(allocatable, resource)
    const free = total - unitsIn(used, resource)
    return requested <= free ? [] : [{ resource, requested, allocatable: total, free }]
  })
}

function unitsIn(quantities: ResourceQuantities, name: string): bigint {
  const text = Object.hasOwn(quantities, name) ? quantities[name] : undefined
  return text === undefined ? 0n : units(name, Quantity.parse(text))
}

/** Returns an amount in the scheduler's units: thousandths of cpu, whole units of any other resource. */
export function units(name: string, amount: Quantity): bigint {
  return name === 'cpu' ? amount.milliValue() : amount.value()
}
