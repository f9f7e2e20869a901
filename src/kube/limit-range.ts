import { type Amounts, amountsOf, fillAmounts, quantitiesOf } from './amounts.ts'
import type { Container, PodSpec, ResourceQuantities } from './types.ts'

/** One item of a LimitRange, as it is written. */
export interface LimitRangeItem {
  readonly type?: string
  readonly default?: ResourceQuantities | null
  readonly defaultRequest?: ResourceQuantities | null
  readonly min?: ResourceQuantities | null
  readonly max?: ResourceQuantities | null
  readonly maxLimitRequestRatio?: ResourceQuantities | null
}

/** A LimitRange as far as it is about pods. */
export interface LimitRange {
  readonly name: string
  readonly limits: readonly LimitRangeItem[]
}

/** What a LimitRange gives containers that do not say it themselves. */
export interface ContainerDefaults {
  readonly requests: Amounts
  readonly limits: Amounts
}

/**
 * What a LimitRange gives containers that lack it. In each item of type Container, `default` is filled up from `max`,
 * `defaultRequest` from `default`, then from `min` (`SetDefaults_LimitRangeItem`); of several items the later one decides
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

/** The pod with what its containers and init containers lack, as a LimitRange gives it (`PodMutateLimitFunc`). */
export function withLimitRange(spec: PodSpec, limitRange: LimitRange): PodSpec {
  const { requests, limits } = containerDefaults(limitRange)
  if (requests.size + limits.size === 0) return spec
  const filled = (container: Container): Container => {
    const own = { requests: amountsOf(container.resources?.requests), limits: amountsOf(container.resources?.limits) }
    fillAmounts(own.requests, requests)
    fillAmounts(own.limits, limits)
    const resources = { requests: quantitiesOf(own.requests), limits: quantitiesOf(own.limits) }
    return { ...container, resources: { ...container.resources, ...resources } }
  }
  return { ...spec, containers: spec.containers?.map(filled), initContainers: spec.initContainers?.map(filled) }
}
