import { memo } from '../../core/index.ts'
import type { Fleet, Shape } from '../../facts/inventory/index.ts'
import {
  Quantity,
  type ResourceQuantities,
  type ResourceShortage,
  resourceShortages,
  unlessMalformed,
} from '../../kube/index.ts'
import type { Pod } from './agents.ts'

/** Resources that every node has, whether or not an inventory says how much. */
const EVERYWHERE = ['cpu', 'memory', 'ephemeral-storage', 'pods']

/** Whether the nodes report their allocatable amounts; new nodes may not report them yet. */
export function reports({ allocatable }: Pick<Shape, 'allocatable'>): boolean {
  return [allocatable.cpu, allocatable.memory].every((amount) => Quantity.parse(amount ?? 0).nanoValue() > 0n)
}

/**
 * Whether the amount of a resource on a node is known: a resource that the node does not list is known to be absent,
 * except those that every node has.
 */
export function isKnown(resource: string, allocatable: ResourceQuantities): boolean {
  return !EVERYWHERE.includes(resource) || Object.hasOwn(allocatable, resource)
}

/** Returns what a node lacks for a pod, among known amounts; an amount that cannot be parsed is unknown. */
export function lacking(
  { requests }: { readonly requests: Readonly<Record<string, Quantity>> },
  allocatable: ResourceQuantities,
  used?: ResourceQuantities,
): ResourceShortage[] {
  const lacks = unlessMalformed(() => resourceShortages(requests, allocatable, used)) ?? []
  return lacks.filter(({ resource }) => isKnown(resource, allocatable))
}

const ONE = Quantity.of(1n, 'DecimalSI')

/**
 * Looks up whether a pod fits on every node that reports its amounts. Most pods do, which spares a look at where each
 * runs. False does not mean that the pod does not fit.
 */
export function fitsEverywhereIn(fleets: readonly Fleet[]): (pod: Pick<Pod, 'requests'>) => boolean {
  const shapes = fleets.flatMap((fleet) => fleet.shapes).filter((shape) => reports(shape))
  // an amount that cannot be parsed is checked node by node
  const least = memo((resource: string) => unlessMalformed(() => leastOf(shapes, resource)) ?? 'unread')
  return ({ requests }) =>
    [...Object.entries(requests), ['pods', ONE] as const].every(([name, amount]) => {
      const own = least(name)
      return own === 'unknown' || (own !== 'unread' && amount.compare(own) <= 0)
    })
}

/** Returns the least that a node has of a resource; 'unknown' where no node lists a resource that every node has. */
function leastOf(shapes: readonly Shape[], resource: string): Quantity | 'unknown' {
  const known = shapes.filter(({ allocatable }) => isKnown(resource, allocatable))
  const amounts = known.map(({ allocatable }) => Quantity.parse(allocatable[resource] ?? 0))
  const [first, ...others] = amounts
  if (first === undefined) return 'unknown'
  return others.reduce((least, amount) => (amount.compare(least) < 0 ? amount : least), first)
}
