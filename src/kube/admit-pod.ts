import { type Amounts, amountsOf, fillAmounts, quantitiesOf } from './amounts.ts'
import { containerDefaults, type LimitRange, limitRangeProblems, withLimitRange } from './limit-range.ts'
import { sumOfContainers } from './pod-requests.ts'
import type { Quantity } from './quantity.ts'
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from './resource-name.ts'
import { resourceProblems } from './resource-problems.ts'
import type { Container, PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'

/** What of a namespace and a cluster decides about the resources of a pod that is made there. */
export interface AdmissionInput {
  /** In the order in which they are asked; the API server's own is not defined. */
  readonly limitRanges: readonly LimitRange[]
  /** The class that the pod names; `unknown` where it names one that nobody has. */
  readonly runtimeClass?: RuntimeClass | 'unknown'
}

/** Why a pod is refused, in words, and by what. */
export interface Refusal {
  readonly by: 'resources' | 'runtimeClass' | 'limitRange'
  readonly limitRange?: string
  readonly words: string
}

/** A pod as it would be stored, or why it would not. */
export interface AdmittedPod {
  readonly spec: PodSpec
  readonly refusals: readonly Refusal[]
}

/**
 * A pod as the API server makes it of a template: defaults of the API, of each LimitRange in turn, overhead of the RuntimeClass;
 * then the API's own rules, and each LimitRange. Quota comes after this. Throws `KubeError` on a malformed quantity.
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

/** What several LimitRanges give a container that lacks it, each something else: whichever the API server asks first decides. */
export interface AmbiguousDefault {
  readonly container: string
  /** As `requests.memory`. */
  readonly resource: string
  readonly limitRanges: readonly string[]
}

/** The defaults of a pod that depend on the order of the LimitRanges. Throws `KubeError` on a malformed quantity. */
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
 * A pod's resources as the API server fills them in when a pod is made of a template (`SetDefaults_Pod`): a missing request of
 * a container or init container is its own limit; where the pod as a whole has limits, a missing request of it is what its
 * containers ask for, else its own limit. Throws `KubeError` on a malformed quantity.
 */
export function withDefaultRequests(spec: PodSpec): PodSpec {
  const filled: PodSpec = {
    ...spec,
    containers: spec.containers?.map(withOwnRequests),
    initContainers: spec.initContainers?.map(withOwnRequests),
  }
  const { resources } = spec
  return isSet(resources) ? { ...filled, resources: podLevel(filled, resources) } : filled
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
function podLevel(spec: PodSpec, resources: ResourceRequirements): ResourceRequirements {
  const requests = amountsOf(resources.requests)
  const limits = amountsOf(resources.limits)
  fillAmounts(
    limits,
    only(sumOfContainers(spec, 'limits'), (name) => isHugePages(name) && !requests.has(name)),
  )
  if (limits.size === 0) return resources
  fillAmounts(
    requests,
    only(sumOfContainers(spec, 'requests'), (name) => isPodLevelResource(name) && isOvercommitAllowed(name)),
  )
  fillAmounts(requests, only(limits, isPodLevelResource))
  return { ...resources, requests: quantitiesOf(requests), limits: quantitiesOf(limits) }
}

function only(amounts: Amounts, isWanted: (name: string) => boolean): Amounts {
  return new Map([...amounts].filter(([name]) => isWanted(name)))
}

/** A RuntimeClass as far as it adds to what a pod needs. */
export interface RuntimeClass {
  readonly name: string
  /** `overhead.podFixed`; undefined where the class has no overhead. */
  readonly overhead?: ResourceQuantities
}

/**
 * Why the admission of RuntimeClasses refuses a pod for its overhead, in words; undefined where it does not (`validateOverhead`).
 * `runtimeClass` is that of the pod, undefined where the pod names none. Throws `KubeError` on a malformed quantity.
 */
function overheadProblem(spec: PodSpec, runtimeClass: RuntimeClass | undefined): string | undefined {
  const own = amountsOf(spec.overhead)
  if (runtimeClass?.overhead === undefined)
    return isMissing(spec.overhead) ? undefined : 'has an overhead, and its RuntimeClass has none'
  const fixed = amountsOf(runtimeClass.overhead)
  if (own.size === 0) return undefined
  const isSame = own.size === fixed.size && [...own].every(([name, amount]) => fixed.get(name)?.compare(amount) === 0)
  return isSame ? undefined : `has another overhead than RuntimeClass ${runtimeClass.name}`
}

/** The pod with the overhead of its RuntimeClass (`setOverhead`). */
function withRuntimeClass(spec: PodSpec, runtimeClass: RuntimeClass | undefined): PodSpec {
  return runtimeClass?.overhead === undefined ? spec : { ...spec, overhead: runtimeClass.overhead }
}

function isMissing(overhead: unknown): boolean {
  return overhead === undefined || overhead === null
}
