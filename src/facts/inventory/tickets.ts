import type { WorkloadSnapshot } from '../../kinds/index.ts'
import { isMap, scalarText } from '../../krm/map.ts'
import { NODE } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type Affinity, isTime } from '../../kube/index.ts'
import { byName, filledText, present } from './live-checks.ts'

const HOSTNAME = 'kubernetes.io/hostname'

/**
 * Returns the node that a Ticket names, by nodeName, by required affinity, or by the hostname label; undefined if it
 * names none or several.
 */
export function ticketNode({ spec }: KubernetesObject): string | undefined {
  const { nodeName, affinity, nodeSelector } = (spec ?? {}) as {
    nodeName?: string
    affinity?: Affinity
    nodeSelector?: Record<string, string>
  }
  if (nodeName) return nodeName
  const terms = maps(affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms)
  const named = terms.map((term) => {
    const requirements = [...maps(term.matchFields), ...maps(term.matchExpressions)]
    const nodeRequirement = requirements.find(
      ({ key, operator }) => (key === 'metadata.name' || key === HOSTNAME) && operator === 'In',
    )
    return nodeRequirement?.values?.length === 1 ? nodeRequirement.values[0] : undefined
  })
  const [first] = named
  if (first !== undefined && named.every((name) => name === first)) return first
  return nodeSelector?.[HOSTNAME]
}

/** Returns the maps of a list; empty for any other value. */
function maps<T extends object>(list: readonly T[] | null | undefined): T[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}

const TIMES = { claimedAt: 'claimedTime', expiresAt: 'expirationTime' } as const

/** A Ticket of a WorkloadSnapshot. */
export type SnapshotTicket = NonNullable<WorkloadSnapshot['spec']['tickets']>[number]

/** Returns why a Ticket cannot be read, in words; the API server returns no such Ticket. */
export function ticketProblem({ status }: KubernetesObject): string | undefined {
  if (status !== undefined && status !== null && !isMap(status)) return 'its status is not a map'
  const state = (status ?? {}) as Record<string, unknown>
  const bad = Object.values(TIMES).find((name) => {
    const time = state[name] ?? undefined
    return time !== undefined && !(typeof time === 'string' && isTime(time))
  })
  return bad === undefined ? undefined : `status.${bad} is ${scalarText(state[bad])}, not an RFC 3339 time`
}

/**
 * Converts Tickets to entries of a WorkloadSnapshot, sorted by name, with the status that korder set. A Ticket that is
 * not placed yet, or whose guardian pod has not run, counts on the node that it was rendered for or names. `pods` are
 * the pods that have not ended, as namespace and name; without them nothing is said of the pods that claimed Tickets.
 */
export function snapshotTickets(tickets: readonly KubernetesObject[], pods?: ReadonlySet<string>): SnapshotTicket[] {
  return tickets
    .map((ticket) => {
      const { metadata, status } = ticket
      const { namespace, name, labels, annotations, ownerReferences } = metadata
      const state = (status ?? {}) as Record<string, unknown>
      const owners = (Array.isArray(ownerReferences) ? ownerReferences : []) as Array<{ kind?: string; name?: string }>
      const order =
        owners.find(({ kind }) => kind === 'Order')?.name ??
        labels?.['korder.dev/order'] ??
        annotations?.['korder.dev/ticket-group']
      const node = filledText(state.nodeName) ?? annotations?.[NODE] ?? filledText(ticketNode(ticket))
      const entry = {
        namespace,
        name,
        order: filledText(order),
        node,
        phase: filledText(state.phase),
        claimedAt: filledText(state[TIMES.claimedAt]),
        expiresAt: filledText(state[TIMES.expiresAt]),
        ...waitOf(state, metadata.creationTimestamp),
        pod: filledText(state.claimedPod),
        podGone: goneOf(filledText(state.claimedPod), pods),
      }
      return present(entry) as SnapshotTicket
    })
    .sort(byName)
}

/**
 * Returns since when and why the guardian pod of a Ticket does not run: korder could not create it, or has created it
 * (`Activated`) and not seen it run. Empty for any other Ticket.
 */
function waitOf({ phase, reason, message, activationTime }: Record<string, unknown>, created: unknown): object {
  const isPending = phase === undefined || phase === '' || phase === 'Pending'
  const isActivated = (phase === 'Reserved' || phase === 'Ready') && reason === 'Activated'
  if (!isPending && !isActivated) return {}
  const since = [activationTime, created].find((time) => typeof time === 'string' && isTime(time))
  return { since, reason: isActivated ? reason : (filledText(message) ?? filledText(reason)) }
}

function goneOf(pod: string | undefined, pods: ReadonlySet<string> | undefined): boolean | undefined {
  return pod === undefined || pods === undefined ? undefined : !pods.has(pod)
}
