import { addAmounts, amountsOf } from './amounts.ts'
import { sumOfContainers } from './pod-sum.ts'
import type { Quantity } from './quantity.ts'
import { isPodLevelResource } from './resource-name.ts'
import type { PodSpec } from './types.ts'

/**
 * What a pod asks of its node (`resource.PodRequests` of k8s.io/component-helpers): containers and sidecars added
 * up, but at least what any init container needs beside the sidecars started before it; pod-level requests replace
 * the sum where they are set; overhead comes on top. Throws `KubeError` on a malformed quantity.
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
 * What a pod may use at most (`resource.PodLimits`), added up as its requests are; overhead comes on top of a limit that is
 * there and not zero. Throws `KubeError` on a malformed quantity.
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
