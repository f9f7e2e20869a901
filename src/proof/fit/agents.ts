import { describe } from '../../krm/identity.ts'
import {
  type AmbiguousDefault,
  admitPod,
  ambiguousDefaults,
  type Container,
  KubeError,
  type LimitRange,
  type PodSpec,
  podRequests,
  Quantity,
  type Refusal,
  type ResourceQuantities,
} from '../../kube/index.ts'
import { podSpecOf } from '../../object/index.ts'
import type { Planned, Rendered } from '../../world/index.ts'
import { unlessMalformed } from '../place.ts'
import type { Limits } from './limits.ts'

/** A rendered DaemonSet, and its pod as Kubernetes would see it. */
export interface Agent {
  readonly planned: Planned
  readonly rendered: Rendered
  readonly pod: Pod
}

type Requests = Readonly<Record<string, Quantity>>

/** A pod in its namespace. Where several LimitRanges disagree, whatever any order of them makes of it. */
export interface Pod {
  readonly spec: PodSpec
  /** The most it may request. */
  readonly requests: Requests
  readonly refusals: readonly Refusal[]
  readonly ambiguous: readonly AmbiguousDefault[]
}

/** The DaemonSets of a subject with their pods; what the API server cannot even read is left for it to refuse. */
export function agentsOf(planned: Planned, limits: Limits): Agent[] {
  return planned.objects.filter(isDaemonSet).flatMap((rendered) => {
    const pod = podAs(podSpecOf(rendered.object), limits)
    return pod === undefined ? [] : [{ planned, rendered, pod }]
  })
}

/** A pod as the API server would make it; undefined where an amount is malformed. */
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

/** Each LimitRange first in turn. */
function rotations(limitRanges: readonly LimitRange[]): LimitRange[][] {
  return limitRanges.map((_, index) => [...limitRanges.slice(index), ...limitRanges.slice(0, index)])
}

/** The larger amount of each resource. */
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

/** The agents of a message: the first, and how many more. */
export function agentsText(agents: readonly Agent[]): string {
  const [first] = agents
  if (first === undefined) return 'none'
  const more = agents.length - 1
  return more === 0 ? describe(first.rendered.object) : `${describe(first.rendered.object)} and ${more} more`
}

/** A template without the amounts that it leaves open for each group: it asks for none of them itself. */
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
  return Object.fromEntries(Object.entries(amounts ?? {}).filter(([, amount]) => isQuantity(amount)))
}

function isQuantity(amount: string | number): boolean {
  try {
    Quantity.parse(amount)
    return true
  } catch (error) {
    if (error instanceof KubeError) return false
    throw error
  }
}
