import { indexBy, memoOf } from '../../../core/index.ts'
import type { LiveTicket } from '../../../facts/inventory/index.ts'
import { type Finding, listNames, plural } from '../../../krm/finding/index.ts'
import { finding } from '../codes.ts'
import type { OrderSettings } from '../order/read-order.ts'

const byName = memoOf((live: readonly LiveTicket[]) => indexBy(live, ({ name }) => name))

/** The part of an Order that its live Tickets are found by. */
export type LiveOwner = Pick<OrderSettings, 'name' | 'namespace'>

/**
 * Returns the live Ticket of a name for an Order; undefined if the snapshot shows none. An Order without a namespace is
 * given one later, by kubectl, Argo CD or kustomize, so its Tickets are found in any: a name has its Order and its node
 * in its hash. Of several the one that reserves longest counts, so that none is renewed while it may still hold.
 */
export function liveTicketOf(live: readonly LiveTicket[], owner: LiveOwner, name: string): LiveTicket | undefined {
  return candidatesOf(live, owner, name).reduce<LiveTicket | undefined>(
    (best, one) => (best === undefined || lifeOf(one) > lifeOf(best) ? one : best),
    undefined,
  )
}

function candidatesOf(
  live: readonly LiveTicket[],
  { name: order, namespace }: LiveOwner,
  name: string,
): readonly LiveTicket[] {
  const named = byName(live).get(name) ?? []
  return named.filter((one) =>
    namespace === undefined ? one.order === undefined || one.order === order : one.namespace === namespace,
  )
}

/** Returns until when a Ticket reserves, in milliseconds: an Expired one not at all, one without an end forever. */
function lifeOf({ phase, expiresAt }: LiveTicket): number {
  return phase === 'Expired' ? -1 : (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
}

/** Reports Tickets of an Order without a namespace that the cluster has in several. */
export function ambiguousFindings(
  live: readonly LiveTicket[],
  { name, namespace, subject }: OrderSettings,
  tickets: Iterable<string>,
): Finding[] {
  if (namespace !== undefined || live.length === 0) return []
  const several = [...tickets].map((ticket) => candidatesOf(live, { name }, ticket)).filter(({ length }) => length > 1)
  if (several.length === 0) return []
  const namespaces = [...new Set(several.flat().map((one) => one.namespace))].sort()
  const sentence = `${name}: the cluster has ${plural(several.length, 'Ticket')} of the same name in the namespaces ${listNames(namespaces, namespaces.length)}`
  return [finding('LiveTicketsAmbiguous', sentence, { subject, field: { path: 'metadata.namespace' } })]
}
