import type { Finding } from '../../finding/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isOrder, isTicket } from '../../policy/index.ts'
import type { Planned, World } from '../../world/index.ts'
import { isDaemonOrder } from '../order/read-order.ts'
import { checkQuotas, isQuota } from './quota.ts'

/** Holds the Quotas of a package against the Orders and Tickets in it, rendered or written by hand; only where what was planned stands. */
export function quotaFindings(planned: readonly Planned[], world: World): Finding[] {
  const objects = world.items.map(({ object }) => object)
  const quotas = objects.filter(isQuota)
  if (quotas.length === 0) return []
  const rendered = planned.flatMap(({ objects: own }) => own.map(({ object }) => object)).filter(isCounted)
  return checkQuotas(quotas, [...rendered, ...keptBeside(planned, world)], namespaceLabels(objects))
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
