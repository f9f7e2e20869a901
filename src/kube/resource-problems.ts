import { type Amounts, amountsOf } from './amounts.ts'
import { sumOfContainers } from './pod-requests.ts'
import { Quantity } from './quantity.ts'
import {
  isContainerResource,
  isExtendedResource,
  isHugePages,
  isOvercommitAllowed,
  isPodLevelResource,
  pageSizeOf,
} from './resource-name.ts'
import type { PodSpec, ResourceRequirements } from './types.ts'

const MILLI = 1000n

/**
 * Returns why the API server would refuse a pod for its resources, one sentence a reason (`ValidatePodSpec`). `spec`
 * has its defaults filled in. Throws `KubeError` on a malformed quantity.
 */
export function resourceProblems(spec: PodSpec): string[] {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
  return [
    ...containers.flatMap(({ name, resources }) =>
      requirementProblems(resources, isContainerResource).map((problem) => `container ${name}: ${problem}`),
    ),
    ...requirementProblems({ limits: spec.overhead }, isContainerResource).map((problem) => `overhead: ${problem}`),
    ...podLevelProblems(spec),
  ]
}

/** `validateResourceRequirements`. */
function requirementProblems(
  resources: ResourceRequirements | null | undefined,
  isAllowed: (name: string) => boolean,
): string[] {
  const requests = amountsOf(resources?.requests)
  const limits = amountsOf(resources?.limits)
  const names = [...new Set([...limits.keys(), ...requests.keys()])]
  const isBare = names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')
  return [
    ...names.filter((name) => !isAllowed(name)).map((name) => `${name} cannot be requested here`),
    ...[requests, limits].flatMap((amounts) => [...amounts].flatMap(([name, amount]) => amountProblem(name, amount))),
    ...[...requests].flatMap(([name, request]) => limitProblem(name, request, limits.get(name))),
    ...(isBare ? ['hugepages require cpu or memory as well'] : []),
  ]
}

function amountProblem(name: string, amount: Quantity): string[] {
  if (amount.nanoValue() < 0n) return [`${name} is ${amount}, below zero`]
  if (isExtendedResource(name) && amount.milliValue() % MILLI !== 0n) return [`${name} is ${amount}, not an integer`]
  if (isHugePages(name) && !isDivisible(amount, pageSizeOf(name)))
    return [`${name} is ${amount}, not a multiple of the page size`]
  return []
}

/** Whether an amount is a multiple of the page size (`IsHugePageResourceValueDivisible`). */
function isDivisible(amount: Quantity, pageSize: string): boolean {
  const size = Quantity.parse(pageSize)
  if (size.nanoValue() <= 0n || size.milliValue() % MILLI !== 0n) return false
  return amount.value() % size.value() === 0n
}

function limitProblem(name: string, request: Quantity, limit: Quantity | undefined): string[] {
  if (limit === undefined) return isOvercommitAllowed(name) ? [] : [`the request of ${name} needs a limit`]
  const order = request.compare(limit)
  if (order !== 0 && !isOvercommitAllowed(name))
    return [`the request of ${name}, ${request}, must equal its limit ${limit}`]
  return order > 0 ? [`the request of ${name}, ${request}, is above its limit ${limit}`] : []
}

/** `validatePodResources`. */
function podLevelProblems(spec: PodSpec): string[] {
  const { resources } = spec
  if (resources === undefined || resources === null) return []
  const requests = amountsOf(resources.requests)
  const limits = amountsOf(resources.limits)
  const hugePages = new Map([...sumOfContainers(spec, 'limits')].filter(([name]) => isHugePages(name)))
  return [
    ...requirementProblems(resources, isPodLevelResource),
    ...aboveProblems(sumOfContainers(spec, 'requests'), requests, 'the containers request'),
    ...aboveProblems(hugePages, limits, 'the containers have limits of'),
    ...(spec.containers ?? []).flatMap(({ name, resources: own }) =>
      aboveProblems(amountsOf(own?.limits), limits, `container ${name} has a limit of`),
    ),
  ].map((problem) => `resources of the pod: ${problem}`)
}

function aboveProblems(amounts: Amounts, bounds: Amounts, who: string): string[] {
  return [...amounts].flatMap(([name, amount]) => {
    const bound = bounds.get(name)
    return bound === undefined || amount.compare(bound) <= 0 ? [] : [`${who} ${name} ${amount}, above ${bound}`]
  })
}
