import { type Amounts, amountsOf, fillAmounts, quantitiesOf } from './amounts.ts'
import { containerDefaults, type LimitRange, limitRangeProblems, withLimitRange } from './limit-range.ts'
import {
  isContainerResource,
  isExtendedResource,
  isHugePages,
  isOvercommitAllowed,
  isPodLevelResource,
  pageSizeOf,
  sumOfContainers,
} from './pod-requests.ts'
import { Quantity } from './quantity.ts'
import type { Container, PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'

/** The objects of a namespace and its cluster that admission applies to a new pod's resources. */
export interface AdmissionInput {
  /** Applied in this order. The API server defines no order. */
  readonly limitRanges: readonly LimitRange[]
  /** The RuntimeClass that the pod names; `unknown` where no RuntimeClass of that name is known. */
  readonly runtimeClass?: RuntimeClass | 'unknown'
}

/** Why admission refuses a pod, in words, and which rule refuses it. */
export interface Refusal {
  readonly by: 'resources' | 'runtimeClass' | 'limitRange'
  readonly limitRange?: string
  readonly words: string
}

/** A pod as the API server would store it, and every reason for which it would be refused. */
export interface AdmittedPod {
  readonly spec: PodSpec
  readonly refusals: readonly Refusal[]
}

/**
 * Applies admission to a pod of a template: API defaults, each LimitRange in order, RuntimeClass overhead, then the
 * API's validation and the limits of each LimitRange. ResourceQuota is checked later, in `quota.ts`. Throws `KubeError`
 * on a malformed quantity.
 */
export function admitPod(template: PodSpec, { limitRanges, runtimeClass }: AdmissionInput): AdmittedPod {
  const limited = limitRanges.reduce(withLimitRange, withDefaultRequests(template))
  const known = runtimeClass === 'unknown' ? undefined : runtimeClass
  const overhead = runtimeClass === 'unknown' ? undefined : overheadProblem(limited, known)
  const spec = withRuntimeClass(limited, known)
  return {
    spec,
    refusals: [
      ...resourceProblems(spec).map((words) => ({ by: 'resources' as const, words })),
      ...(overhead === undefined ? [] : [{ by: 'runtimeClass' as const, words: `the pod ${overhead}` }]),
      ...limitRanges.flatMap((one) =>
        limitRangeProblems(spec, one).map((words) => ({ by: 'limitRange' as const, limitRange: one.name, words })),
      ),
    ],
  }
}

/** A default that several LimitRanges set to different amounts: the one that the API server applies first wins. */
export interface AmbiguousDefault {
  readonly container: string
  /** For example `requests.memory`. */
  readonly resource: string
  readonly limitRanges: readonly string[]
}

/**
 * Returns the defaults of a pod that depend on the order of the LimitRanges. Throws `KubeError` on a malformed
 * quantity.
 */
export function ambiguousDefaults(template: PodSpec, limitRanges: readonly LimitRange[]): AmbiguousDefault[] {
  if (limitRanges.length < 2) return []
  const all = limitRanges.map((one) => ({ name: one.name, defaults: containerDefaults(one) }))
  const { containers = [], initContainers = [] } = withDefaultRequests(template)
  return [...containers, ...initContainers].flatMap(({ name, resources }) =>
    (['requests', 'limits'] as const).flatMap((side) => {
      const given = [...new Set(all.flatMap(({ defaults }) => [...defaults[side].keys()]))]
      const missing = given.filter((resource) => !Object.hasOwn(resources?.[side] ?? {}, resource))
      return missing.flatMap((resource) => {
        const sources = all.filter(({ defaults }) => defaults[side].has(resource))
        const amounts = sources.map(({ defaults }) => defaults[side].get(resource) as Quantity)
        if (amounts.every((amount) => amount.compare(amounts[0] as Quantity) === 0)) return []
        const names = sources.map((source) => source.name)
        return [{ container: name, resource: `${side}.${resource}`, limitRanges: names }]
      })
    }),
  )
}

/**
 * Fills in a pod's resources as the API server defaults them (`SetDefaults_Pod`). A missing request of a container or
 * init container becomes its own limit. Where the pod itself has limits, a missing pod-level request becomes the sum of
 * the containers' requests, else the pod's limit. Throws `KubeError` on a malformed quantity.
 */
export function withDefaultRequests(spec: PodSpec): PodSpec {
  const filled: PodSpec = {
    ...spec,
    containers: spec.containers?.map(withOwnRequests),
    initContainers: spec.initContainers?.map(withOwnRequests),
  }
  const { resources } = spec
  return isSet(resources) ? { ...filled, resources: podLevelDefaults(filled, resources) } : filled
}

function withOwnRequests(container: Container): Container {
  const { resources } = container
  if (resources?.limits === undefined || resources.limits === null) return container
  const requests = amountsOf(resources.requests)
  fillAmounts(requests, amountsOf(resources.limits))
  return { ...container, resources: { ...resources, requests: quantitiesOf(requests) } }
}

function isSet(resources: ResourceRequirements | null | undefined): resources is ResourceRequirements {
  return Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0
}

/** `defaultHugePagePodLimits`, then `defaultPodRequests`. */
function podLevelDefaults(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const requests = amountsOf(resources.requests)
  const limits = amountsOf(resources.limits)
  fillAmounts(
    limits,
    filterAmounts(sumOfContainers(spec, 'limits'), (name) => isHugePages(name) && !requests.has(name)),
  )
  if (limits.size === 0) return resources
  fillAmounts(
    requests,
    filterAmounts(sumOfContainers(spec, 'requests'), (name) => isPodLevelResource(name) && isOvercommitAllowed(name)),
  )
  fillAmounts(requests, filterAmounts(limits, isPodLevelResource))
  return { ...resources, requests: quantitiesOf(requests), limits: quantitiesOf(limits) }
}

function filterAmounts(amounts: Amounts, isWanted: (name: string) => boolean): Amounts {
  return new Map([...amounts].filter(([name]) => isWanted(name)))
}

/** The part of a RuntimeClass that adds to a pod's resources. */
export interface RuntimeClass {
  readonly name: string
  /** `overhead.podFixed`; undefined where the class has no overhead. */
  readonly overhead?: ResourceQuantities
}

/**
 * Returns why RuntimeClass admission refuses the pod's overhead (`validateOverhead`), in words; undefined if it accepts
 * it. `runtimeClass` is the one the pod names, undefined if it names none. Throws `KubeError` on a malformed quantity.
 */
function overheadProblem(spec: PodSpec, runtimeClass: RuntimeClass | undefined): string | undefined {
  const podOverhead = amountsOf(spec.overhead)
  if (runtimeClass?.overhead === undefined)
    return isMissing(spec.overhead) ? undefined : 'has overhead, but its RuntimeClass has none'
  const fixed = amountsOf(runtimeClass.overhead)
  if (podOverhead.size === 0) return undefined
  const isSame =
    podOverhead.size === fixed.size &&
    [...podOverhead].every(([name, amount]) => fixed.get(name)?.compare(amount) === 0)
  return isSame ? undefined : `has overhead that differs from RuntimeClass ${runtimeClass.name}`
}

/** Returns the pod with the overhead of its RuntimeClass (`setOverhead`). */
function withRuntimeClass(spec: PodSpec, runtimeClass: RuntimeClass | undefined): PodSpec {
  return runtimeClass?.overhead === undefined ? spec : { ...spec, overhead: runtimeClass.overhead }
}

function isMissing(overhead: unknown): boolean {
  return overhead === undefined || overhead === null
}

const MILLI = 1000n

/**
 * Returns why the API server would refuse a pod for its resources, one sentence a reason (`ValidatePodSpec`). `spec`
 * has its defaults filled in. Throws `KubeError` on a malformed quantity.
 */
function resourceProblems(spec: PodSpec): string[] {
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
