import { type Container, KubeError, type PodSpec, Quantity, type ResourceQuantities } from '../../kube/index.ts'

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
