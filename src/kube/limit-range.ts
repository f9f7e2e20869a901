import { type Amounts, amountsOf, fillAmounts, quantitiesOf } from './amounts.ts'
import { sumOfContainers } from './pod-requests.ts'
import type { Quantity } from './quantity.ts'
import type { Container, PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'

/** One item of a LimitRange, as written. */
export interface LimitRangeItem {
  readonly type?: string
  readonly default?: ResourceQuantities | null
  readonly defaultRequest?: ResourceQuantities | null
  readonly min?: ResourceQuantities | null
  readonly max?: ResourceQuantities | null
  readonly maxLimitRequestRatio?: ResourceQuantities | null
}

/** The part of a LimitRange that applies to pods. */
export interface LimitRange {
  readonly name: string
  readonly limits: readonly LimitRangeItem[]
}

/** The requests and limits that a LimitRange gives to containers without them. */
export interface ContainerDefaults {
  readonly requests: Amounts
  readonly limits: Amounts
}

/**
 * Returns the defaults of a LimitRange. In each item of type Container, `max` fills in `default`, then `default` and
 * `min` fill in `defaultRequest` (`SetDefaults_LimitRangeItem`). Of several items the last one wins
 * (`defaultContainerResourceRequirements`). Throws `KubeError` on a malformed quantity.
 */
export function containerDefaults({ limits }: LimitRange): ContainerDefaults {
  const defaults = { requests: new Map(), limits: new Map() } satisfies ContainerDefaults
  for (const item of limits.filter(({ type }) => type === 'Container')) {
    const limit = amountsOf(item.default)
    fillAmounts(limit, amountsOf(item.max))
    const request = amountsOf(item.defaultRequest)
    fillAmounts(request, limit)
    fillAmounts(request, amountsOf(item.min))
    for (const [name, amount] of limit) defaults.limits.set(name, amount)
    for (const [name, amount] of request) defaults.requests.set(name, amount)
  }
  return defaults
}

/** Fills in the missing requests and limits of all containers and init containers (`PodMutateLimitFunc`). */
export function withLimitRange(spec: PodSpec, limitRange: LimitRange): PodSpec {
  const { requests, limits } = containerDefaults(limitRange)
  if (requests.size + limits.size === 0) return spec
  const filled = (container: Container): Container => {
    const amounts = {
      requests: amountsOf(container.resources?.requests),
      limits: amountsOf(container.resources?.limits),
    }
    fillAmounts(amounts.requests, requests)
    fillAmounts(amounts.limits, limits)
    const resources = { requests: quantitiesOf(amounts.requests), limits: quantitiesOf(amounts.limits) }
    return { ...container, resources: { ...container.resources, ...resources } }
  }
  return { ...spec, containers: spec.containers?.map(filled), initContainers: spec.initContainers?.map(filled) }
}

/** Larger amounts are compared in whole units (`resource.MaxMilliValue`). */
const MOST_IN_MILLI = (2n ** 63n - 1n) / 1000n

/** The amounts that are compared with an item's bounds. */
interface Held {
  readonly requests: Amounts
  readonly limits: Amounts
}

/**
 * Returns why a LimitRange refuses a pod, one sentence a reason (`PodValidateLimitFunc`). `spec` has all defaults
 * filled in. An item of type Container applies to init containers too. Throws `KubeError` on a malformed quantity.
 */
export function limitRangeProblems(spec: PodSpec, { limits }: LimitRange): string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  return limits.flatMap((item) => {
    if (item.type === 'Pod') return itemProblems(item, podAmounts(spec), 'pod')
    if (item.type !== 'Container') return []
    return containers.flatMap(({ name, resources }) => itemProblems(item, held(resources), `container ${name}`))
  })
}

function held(resources: ResourceRequirements | null | undefined): Held {
  return { requests: amountsOf(resources?.requests), limits: amountsOf(resources?.limits) }
}

/** Sums a pod as a LimitRange does: without overhead, and of pod-level resources only cpu and memory. */
function podAmounts(spec: PodSpec): Held {
  const sum = (side: 'requests' | 'limits') => {
    const amounts = sumOfContainers(spec, side)
    for (const [name, amount] of amountsOf(spec.resources?.[side]))
      if (name === 'cpu' || name === 'memory') amounts.set(name, amount)
    return amounts
  }
  return { requests: sum('requests'), limits: sum('limits') }
}

function itemProblems({ min, max, maxLimitRequestRatio }: LimitRangeItem, compared: Held, who: string): string[] {
  const each = (bounds: LimitRangeItem['min'], problem: typeof belowMin) =>
    [...amountsOf(bounds)].flatMap(([name, bound]) => {
      const words = problem(bound, compared.requests.get(name), compared.limits.get(name))
      return words === undefined ? [] : [`${who}: ${name} ${words}`]
    })
  return [...each(min, belowMin), ...each(max, aboveMax), ...each(maxLimitRequestRatio, aboveRatio)]
}

/** `minConstraint`. */
function belowMin(bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined): string | undefined {
  if (request === undefined) return `has no request, but the minimum is ${bound}`
  const [asked, most, least] = comparable(request, limit, bound)
  if (asked < least) return `request ${request} is below the minimum ${bound}`
  return limit !== undefined && most < least ? `limit ${limit} is below the minimum ${bound}` : undefined
}

/** `maxConstraint`. */
function aboveMax(bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined): string | undefined {
  if (limit === undefined) return `has no limit, but the maximum is ${bound}`
  const [asked, most, allowed] = comparable(request, limit, bound)
  if (most > allowed) return `limit ${limit} is above the maximum ${bound}`
  return request !== undefined && asked > allowed ? `request ${request} is above the maximum ${bound}` : undefined
}

/** `limitRequestRatioConstraint`, with the same floating-point numbers. */
function aboveRatio(bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined): string | undefined {
  const [asked, most] = comparable(request, limit, bound)
  if (request === undefined || asked === 0n)
    return `has no request above zero, but the ratio of limit to request may be at most ${bound}`
  if (limit === undefined || most === 0n)
    return `has no limit above zero, but the ratio of limit to request may be at most ${bound}`
  const ratio = Number(most) / Number(asked)
  const isMilli = bound.value() <= MOST_IN_MILLI
  const isAbove = isMilli ? ratio * 1000 > Number(bound.milliValue()) : ratio > Number(bound.value())
  return isAbove ? `limit ${limit} is more than ${bound} times the request ${request}` : undefined
}

/** Converts request, limit and bound to thousandths, or to whole units if one of them is too large for that. */
function comparable(
  request: Quantity | undefined,
  limit: Quantity | undefined,
  bound: Quantity,
): [request: bigint, limit: bigint, bound: bigint] {
  const isMilli = [request, limit, bound].every((one) => (one?.value() ?? 0n) <= MOST_IN_MILLI)
  const number = (one: Quantity | undefined) => (isMilli ? one?.milliValue() : one?.value()) ?? 0n
  return [number(request), number(limit), number(bound)]
}
