import { type Amounts, addAmounts, amountsOf, raiseAmounts } from './amounts.ts'
import type { Container, PodSpec } from './types.ts'

/** The two sides of a container's resources. */
export type ResourceSide = 'requests' | 'limits'

/**
 * What a pod's containers come to: containers and sidecars added up, but at least what any init container needs beside the
 * sidecars started before it (`AggregateContainerRequests`, `AggregateContainerLimits`).
 */
export function sumOfContainers(spec: PodSpec, side: ResourceSide): Amounts {
  const sum: Amounts = new Map()
  for (const container of spec.containers ?? []) addAmounts(sum, amountsOf(container.resources?.[side]))
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[side])
    if (isSidecar(container)) {
      addAmounts(sum, own)
      addAmounts(sidecars, own)
      raiseAmounts(starting, sidecars)
    } else {
      const needed = new Map(own)
      addAmounts(needed, sidecars)
      raiseAmounts(starting, needed)
    }
  }
  raiseAmounts(sum, starting)
  return sum
}

/** Whether an init container goes on running beside the containers. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always'
}
