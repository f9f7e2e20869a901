import { type Amounts, add, amountsOf, raise } from './amounts.ts'
import type { Container, PodSpec } from './types.ts'

/** The two sides of a container's resources. */
export type Side = 'requests' | 'limits'

/**
 * What a pod's containers come to: containers and sidecars added up, but at least what any init container needs beside the
 * sidecars started before it (`AggregateContainerRequests`, `AggregateContainerLimits`).
 */
export function sumOfContainers(spec: PodSpec, side: Side): Amounts {
  const sum: Amounts = new Map()
  for (const container of spec.containers ?? []) add(sum, amountsOf(container.resources?.[side]))
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[side])
    if (isSidecar(container)) {
      add(sum, own)
      add(sidecars, own)
      raise(starting, sidecars)
    } else {
      const needed = new Map(own)
      add(needed, sidecars)
      raise(starting, needed)
    }
  }
  raise(sum, starting)
  return sum
}

/** Whether an init container goes on running beside the containers. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always'
}
