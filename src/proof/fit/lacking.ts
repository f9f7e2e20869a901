import { type Lack, lackOf, type Quantity, type ResourceQuantities } from '../../kube/index.ts'
import { unlessMalformed } from '../place.ts'
import { isKnown } from './reported.ts'

/** What a node lacks for a pod, of what is known of it: of amounts that cannot be read nothing is. */
export function lacking(
  { requests }: { readonly requests: Readonly<Record<string, Quantity>> },
  allocatable: ResourceQuantities,
  used?: ResourceQuantities,
): Lack[] {
  const lacks = unlessMalformed(() => lackOf(requests, allocatable, used)) ?? []
  return lacks.filter(({ resource }) => isKnown(resource, allocatable))
}
