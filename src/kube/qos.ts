import { type Amounts, addAmounts, amountsOf } from './amounts.ts'
import type { PodSpec, ResourceRequirements } from './types.ts'

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const COUNTED = ['cpu', 'memory']

/**
 * Returns the QoS class of a pod with its defaults filled in (`ComputePodQOS`): BestEffort if it has no request or
 * limit of cpu and memory, Guaranteed if every container limits both and requests the same. Pod-level resources, where
 * set, decide alone. Throws `KubeError` on a malformed quantity.
 */
export function qosClass(spec: PodSpec): QosClass {
  const isWhole = spec.resources !== undefined && spec.resources !== null
  const parts: ReadonlyArray<ResourceRequirements | null | undefined> = isWhole
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
  const requests: Amounts = new Map()
  const limits: Amounts = new Map()
  let isGuaranteed = true
  for (const part of parts) {
    addAmounts(requests, counted(part?.requests))
    const partLimits = counted(part?.limits)
    addAmounts(limits, partLimits)
    // a pod without any pod-level limit is not Guaranteed either: the comparison below excludes it
    if (partLimits.size < COUNTED.length && (!isWhole || hasMembers(part?.limits))) isGuaranteed = false
  }
  if (requests.size + limits.size === 0) return 'BestEffort'
  const isEqual = [...requests].every(([name, amount]) => limits.get(name)?.compare(amount) === 0)
  return isGuaranteed && isEqual && requests.size === limits.size ? 'Guaranteed' : 'Burstable'
}

function counted(quantities: ResourceRequirements['limits'] | null): Amounts {
  return new Map(
    [...amountsOf(quantities)].filter(([name, amount]) => COUNTED.includes(name) && amount.nanoValue() > 0n),
  )
}

function hasMembers(map: object | null | undefined): boolean {
  return Object.keys(map ?? {}).length > 0
}
