import type { Shape } from '../../inventory/index.ts'
import { Quantity, type ResourceQuantities, type ResourceShortage, resourceShortages } from '../../kube/index.ts'
import { memo, type World } from '../../world/index.ts'
import { unlessMalformed } from '../place.ts'
import type { Pod } from './agents.ts'

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

/** What a node lacks for a pod, of what is known of it: of amounts that cannot be read nothing is. */
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
 * Looks up whether a pod fits on every node that says what it has, wherever it runs: most do, and nobody needs to ask
 * then on which nodes that is. False is not a no.
 */
export function fitsEverywhereIn({ fleets }: Pick<World, 'fleets'>): (pod: Pick<Pod, 'requests'>) => boolean {
  const shapes = fleets.flatMap((fleet) => fleet.shapes).filter((shape) => reports(shape))
  // what cannot be read is looked at node by node
  const least = memo((resource: string) => unlessMalformed(() => leastOf(shapes, resource)) ?? 'unread')
  return ({ requests }) =>
    [...Object.entries(requests), ['pods', ONE] as const].every(([name, amount]) => {
      const own = least(name)
      return own === 'unknown' || (own !== 'unread' && amount.compare(own) <= 0)
    })
}

/** The least that a node has of a resource; unknown where each leaves it unsaid, though every node has some. */
function leastOf(shapes: readonly Shape[], resource: string): Quantity | 'unknown' {
  const known = shapes.filter(({ allocatable }) => isKnown(resource, allocatable))
  const amounts = known.map(({ allocatable }) => Quantity.parse(allocatable[resource] ?? 0))
  const [first, ...others] = amounts
  if (first === undefined) return 'unknown'
  return others.reduce((least, amount) => (amount.compare(least) < 0 ? amount : least), first)
}
