import type { Shape } from '../../inventory/index.ts'
import { Quantity } from '../../kube/index.ts'
import { memo, type World } from '../../world/index.ts'
import { unlessMalformed } from '../place.ts'
import type { Pod } from './agents.ts'
import { isKnown, reports } from './reported.ts'

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
