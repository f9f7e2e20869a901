import { Quantity } from './quantity.ts'
import type { Container, PodSpec, ResourceQuantities } from './types.ts'

type Amounts = Map<string, Quantity>

/**
 * What a pod asks of its node (`resource.PodRequests` of k8s.io/component-helpers): containers and sidecars added
 * up, but at least what any init container needs beside the sidecars started before it; pod-level requests replace
 * the sum where they are set; overhead comes on top. Throws `KubeError` on a malformed quantity.
 */
export function podRequests(spec: PodSpec): Record<string, Quantity> {
  const sum = containerRequests(spec)
  for (const [name, quantity] of amounts(spec.resources?.requests)) {
    if (isPodLevelResource(name)) sum.set(name, quantity)
  }
  add(sum, amounts(spec.overhead))
  return Object.fromEntries(sum)
}

/** The resources that may be requested for a pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')
}

function containerRequests(spec: PodSpec): Amounts {
  const sum: Amounts = new Map()
  for (const container of spec.containers ?? []) add(sum, requestsOf(container))
  const sidecars: Amounts = new Map()
  const starting: Amounts = new Map()
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container)
    if (container.restartPolicy === 'Always') {
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

function requestsOf(container: Container): Amounts {
  return amounts(container.resources?.requests)
}

function amounts(quantities: ResourceQuantities | null | undefined): Amounts {
  return new Map(Object.entries(quantities ?? {}).map(([name, text]) => [name, Quantity.parse(text)]))
}

function add(sum: Amounts, more: Amounts): void {
  for (const [name, quantity] of more) sum.set(name, sum.get(name)?.plus(quantity) ?? quantity)
}

function raise(sum: Amounts, floor: Amounts): void {
  for (const [name, quantity] of floor) {
    const present = sum.get(name)
    if (present === undefined || quantity.compare(present) > 0) sum.set(name, quantity)
  }
}
