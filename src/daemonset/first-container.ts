import { type Container, KubeError, type PodSpec, Quantity } from '../kube/index.ts'

/** The containers that may have a size of their own. */
export function sizable(pod: PodSpec): Container[] {
  const sidecars = (pod.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  // what a user wrote for a name may be anything
  return [...(pod.containers ?? []), ...sidecars].filter(({ name }) => typeof name === 'string')
}

/** The container that a pod is about beyond doubt: the only one, or the one with the name. */
export function ownContainer(pod: PodSpec, name: string): string | undefined {
  const [only, ...others] = pod.containers ?? []
  if (only !== undefined && others.length === 0) return only.name
  return sizable(pod).find((container) => container.name === name)?.name
}

/**
 * The container to size where nobody has chosen one: that one, else the one that requests the most memory, of several
 * the first.
 */
export function firstContainer(pod: PodSpec, name: string): string | undefined {
  const [first, ...others] = sizable(pod)
  const largest = others.reduce(
    (best, one) => (best === undefined || memoryOf(one).compare(memoryOf(best)) > 0 ? one : best),
    first,
  )
  return ownContainer(pod, name) ?? largest?.name
}

/** What Kubernetes takes for the request: the limit where none is written. What is no quantity counts for nothing. */
function memoryOf({ resources }: Container): Quantity {
  try {
    return Quantity.parse(resources?.requests?.memory ?? resources?.limits?.memory ?? 0)
  } catch (error) {
    if (error instanceof KubeError) return Quantity.of(0n, 'BinarySI')
    throw error
  }
}
