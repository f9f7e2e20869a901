/** What the Tickets of a whole package come to on their nodes, in the Quotas, and beside what was written by hand. */
import type { Finding } from '../../finding/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isOrder, isTicket } from '../../policy/index.ts'
import type { Planned, World } from '../../world/index.ts'
import { isDaemonOrder } from '../order/read-order.ts'
import type { ReservationPlan } from '../plan-order.ts'
import { checkCapacity } from './capacity.ts'
import { duplicatedTickets } from './duplicates.ts'
import { checkQuotas, isQuota } from './quota.ts'

/** Findings about all reservations of a package together; only of plans that stand. */
export function checkTogether(plans: readonly ReservationPlan[], world: World): Finding[] {
  const objects = world.items.map(({ object }) => object)
  const reservations = plans.flatMap((plan) => plan.reservations)
  const fleet = plans.find((plan) => plan.fleet !== undefined)?.fleet
  const planned = plans.map((plan) => plan.planned)
  const rendered = planned.flatMap(({ objects: own }) => own.map(({ object }) => object)).filter(isCounted)
  return [
    ...(fleet === undefined ? [] : checkCapacity(reservations, fleet)),
    ...checkQuotas(objects.filter(isQuota), [...rendered, ...keptBeside(planned, world)], namespaceLabels(objects)),
    ...duplicatedTickets(reservations, objects, plans.find(({ live }) => live !== undefined)?.live ?? []),
  ]
}

/** Orders and Tickets of the package that are applied, and that nothing rendered takes the place of. */
function keptBeside(planned: readonly Planned[], { items }: World): KubernetesObject[] {
  const earlier = new Set(planned.flatMap((one) => one.earlier))
  const sources = new Set(planned.map(({ source }) => source))
  return items
    .filter((item) => !earlier.has(item) && !sources.has(item))
    .map(({ object }) => object)
    .filter((object) => isCounted(object) && !isLocalConfig(object.metadata.annotations))
}

function namespaceLabels(objects: readonly KubernetesObject[]): Map<string, Record<string, string>> {
  const namespaces = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
  return new Map(
    namespaces.map(({ metadata: { name, labels } }) => [name, { 'kubernetes.io/metadata.name': name, ...labels }]),
  )
}

/** Orders and Tickets that are applied and count against a Quota. */
function isCounted(object: KubernetesObject): boolean {
  return isTicket(object) || (isOrder(object) && !isDaemonOrder(object))
}
