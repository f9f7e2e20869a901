import { type Quantity, type ResourceQuantities, type ResourceShortage, resourceShortages } from '../../kube/index.ts'
import { unlessMalformed } from '../place.ts'
import { isKnown } from './reported.ts'

/** What a node lacks for a pod, of what is known of it: of amounts that cannot be read nothing is. */
export function lacking(
  { requests }: { readonly requests: Readonly<Record<string, Quantity>> },
  allocatable: ResourceQuantities,
  used?: ResourceQuantities,
): ResourceShortage[] {
  const lacks = unlessMalformed(() => resourceShortages(requests, allocatable, used)) ?? []
  return lacks.filter(({ resource }) => isKnown(resource, allocatable))
}
