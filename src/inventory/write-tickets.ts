import { isMap, scalarText } from '../krm/map.ts'
import { NODE } from '../krm/ownership.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { isTime } from '../kube/index.ts'
import type { WorkloadSnapshot } from '../policy/index.ts'

const TIMES = { claimedAt: 'claimedTime', expiresAt: 'expirationTime' } as const

/** A Ticket of a WorkloadSnapshot. */
export type SnapshotTicket = NonNullable<WorkloadSnapshot['spec']['tickets']>[number]

/** What makes a Ticket unreadable, in words; the API server gives none of these. */
export function ticketProblem({ status }: KubernetesObject): string | undefined {
  if (status !== undefined && status !== null && !isMap(status)) return 'its status is no map'
  const state = (status ?? {}) as Record<string, unknown>
  const bad = Object.values(TIMES).find((name) => {
    const time = state[name] ?? undefined
    return time !== undefined && !(typeof time === 'string' && isTime(time))
  })
  return bad === undefined ? undefined : `status.${bad} is ${scalarText(state[bad])}, not a time of RFC 3339`
}

/**
 * Tickets as a WorkloadSnapshot has them, in the order of their names: the state that korder gave them. A Ticket without a node of
 * its own yet is on the one it was rendered for.
 */
export function snapshotTickets(tickets: readonly KubernetesObject[]): SnapshotTicket[] {
  return tickets
    .map(({ metadata, spec, status }) => {
      const { namespace, name, labels, annotations, ownerReferences } = metadata
      const state = (status ?? {}) as Record<string, unknown>
      const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
      const owners = (Array.isArray(ownerReferences) ? ownerReferences : []) as Array<{ kind?: string; name?: string }>
      const order =
        owners.find(({ kind }) => kind === 'Order')?.name ??
        labels?.['korder.dev/order'] ??
        annotations?.['korder.dev/ticket-group']
      const node =
        text(state.nodeName) ?? annotations?.[NODE] ?? text((spec as { nodeName?: unknown } | null)?.nodeName)
      const entry = {
        namespace,
        name,
        order: text(order),
        node,
        phase: text(state.phase),
        claimedAt: text(state[TIMES.claimedAt]),
        expiresAt: text(state[TIMES.expiresAt]),
      }
      return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as SnapshotTicket
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function keyOf({ namespace = '', name }: SnapshotTicket): string {
  return `${namespace}/${name}`
}
