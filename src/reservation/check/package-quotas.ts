import type { Finding } from '../../finding/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isOrder, isTicket } from '../../policy/index.ts'
import { isDaemonOrder } from '../order/read-order.ts'
import { checkQuotas, isQuota } from './quota.ts'

/**
 * Holds the Quotas of a package against the Orders and Tickets that are applied from it, rendered or written by hand.
 */
export function quotaFindings(items: readonly Item[]): Finding[] {
  const objects = items.map(({ object }) => object)
  const quotas = objects.filter(isQuota)
  if (quotas.length === 0) return []
  return checkQuotas(quotas, objects.filter(isCounted), namespaceLabels(objects))
}

function namespaceLabels(objects: readonly KubernetesObject[]): Map<string, Record<string, string>> {
  const namespaces = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
  return new Map(
    namespaces.map(({ metadata: { name, labels } }) => [name, { 'kubernetes.io/metadata.name': name, ...labels }]),
  )
}

/** Orders and Tickets that are applied and count against a Quota. */
function isCounted(object: KubernetesObject): boolean {
  if (isLocalConfig(object.metadata.annotations)) return false
  return isTicket(object) || (isOrder(object) && !isDaemonOrder(object))
}
