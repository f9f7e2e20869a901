import type { Planned, Rendered } from '../../core/index.ts'
import { podSpecOf } from '../../core/object/index.ts'
import { describe } from '../../krm/identity.ts'
import {
  type AmbiguousDefault,
  admitPod,
  ambiguousDefaults,
  type Container,
  type LimitRange,
  type PodSpec,
  podRequests,
  type Quantity,
  type Refusal,
  type ResourceQuantities,
  readQuantity,
  unlessMalformed,
} from '../../kube/index.ts'
import type { Limits } from './limits.ts'

/** A rendered DaemonSet, with its pod after Kubernetes' defaults. */
export interface Agent {
  readonly planned: Planned
  readonly rendered: Rendered
  readonly pod: Pod
}

type Requests = Readonly<Record<string, Quantity>>

/** A pod in its namespace. Where several LimitRanges disagree, it covers the outcome of every order of them. */
export interface Pod {
  readonly spec: PodSpec
  /** The most that it may request. */
  readonly requests: Requests
  readonly refusals: readonly Refusal[]
  readonly ambiguous: readonly AmbiguousDefault[]
}

/**
 * Returns the DaemonSets of a subject with their pods; omits a pod with malformed amounts, which the API server
 * refuses.
 */
export function agentsOf(planned: Planned, limits: Limits): Agent[] {
  return planned.objects.filter(isDaemonSet).flatMap((rendered) => {
    const pod = podAs(podSpecOf(rendered.object), limits)
    return pod === undefined ? [] : [{ planned, rendered, pod }]
  })
}

/** Returns a pod as the API server would create it; undefined where an amount is malformed. */
export function podAs(template: PodSpec, { limitRanges, runtimeClasses }: Limits): Pod | undefined {
  const { runtimeClassName: name } = template
  const runtimeClass = typeof name === 'string' ? (runtimeClasses.get(name) ?? ('unknown' as const)) : undefined
  return unlessMalformed(() => {
    const ambiguous = ambiguousDefaults(template, limitRanges)
    const orders = ambiguous.length > 0 ? rotations(limitRanges) : [limitRanges]
    const admitted = orders.map((order) => admitPod(template, { limitRanges: order, runtimeClass }))
    const [first] = admitted
    if (first === undefined) return undefined
    const requests = admitted.map(({ spec }) => podRequests(spec)).reduce(mostOf)
    return { spec: first.spec, requests, refusals: admitted.flatMap(({ refusals }) => refusals), ambiguous }
  })
}

/** Returns the list once for each LimitRange, with that one first. */
function rotations(limitRanges: readonly LimitRange[]): LimitRange[][] {
  return limitRanges.map((_, index) => [...limitRanges.slice(index), ...limitRanges.slice(0, index)])
}

/** Returns the larger amount of each resource. */
export function mostOf(one: Requests, other: Requests): Record<string, Quantity> {
  const result = { ...one }
  for (const [name, amount] of Object.entries(other)) {
    const present = result[name]
    if (present === undefined || amount.compare(present) > 0) result[name] = amount
  }
  return result
}

function isDaemonSet({ object: { apiVersion, kind } }: Rendered): boolean {
  return apiVersion === 'apps/v1' && kind === 'DaemonSet'
}

/** Formats agents for a message: the first, and how many more. */
export function agentsText(agents: readonly Agent[]): string {
  const [first] = agents
  if (first === undefined) return 'none'
  const more = agents.length - 1
  return more === 0 ? describe(first.rendered.object) : `${describe(first.rendered.object)} and ${more} more`
}

/**
 * Returns a template without the amounts that it leaves open for each group: the template requests none of them itself.
 */
export function withoutOpenSizes(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers?.map(withoutOpen),
    initContainers: spec.initContainers?.map(withoutOpen),
  }
}

function withoutOpen(container: Container): Container {
  const { resources } = container
  if (resources === undefined || resources === null) return container
  return { ...container, resources: { requests: closed(resources.requests), limits: closed(resources.limits) } }
}

function closed(amounts: ResourceQuantities | null | undefined): ResourceQuantities {
  return Object.fromEntries(Object.entries(amounts ?? {}).filter(([, amount]) => readQuantity(amount) !== undefined))
}
