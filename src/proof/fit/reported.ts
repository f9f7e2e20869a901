import type { Shape } from '../../inventory/index.ts'
import { Quantity, type ResourceQuantities } from '../../kube/index.ts'

/** Resources that every node has, whether or not an inventory says how much. */
const EVERYWHERE = ['cpu', 'memory', 'ephemeral-storage', 'pods']

/** Whether nodes say yet what they have; ones that just came may not. */
export function reports({ allocatable }: Pick<Shape, 'allocatable'>): boolean {
  return [allocatable.cpu, allocatable.memory].every((amount) => Quantity.parse(amount ?? 0).nanoValue() > 0n)
}

/**
 * Whether it is known how much of a resource a node has: one that it does not name it has not, but for what all have.
 */
export function isKnown(resource: string, allocatable: ResourceQuantities): boolean {
  return !EVERYWHERE.includes(resource) || Object.hasOwn(allocatable, resource)
}
