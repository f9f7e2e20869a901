import { type Amounts, amountsOf, fillAmounts, quantitiesOf } from './amounts.ts'
import { sumOfContainers } from './pod-sum.ts'
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from './resource-name.ts'
import type { Container, PodSpec, ResourceRequirements } from './types.ts'

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
