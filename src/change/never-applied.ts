/** What is rendered and never applied: the Orders in DaemonSet mode of a policy's groups, whose Tickets alone are in an output. */
import { isLocalConfig } from '../krm/annotation.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { indexBy, type World } from '../world/index.ts'
import { type Change, type ChangeKind, changeOf } from './change.ts'

/** On a Ticket: the Order that it is of. */
const TICKET_GROUP = 'korder.dev/ticket-group'

/** Whether an object is in no output, so that no later run finds it there: local configuration that no host keeps in a file. */
export function isNeverApplied({ metadata }: KubernetesObject, { keepsFiles }: World): boolean {
  return !keepsFiles && isLocalConfig(metadata.annotations)
}

/** The changes of a subject, those of never applied objects that were not found as their Tickets tell them. */
export function toldByTickets(changes: readonly Change[], { isSeen }: World): Change[] {
  const isToldOf = ({ before, isNeverApplied: never }: Change) => never === true && before === undefined
  if (!changes.some(isToldOf)) return [...changes]
  const byOrder = indexBy(
    changes,
    ({ after, before }) => (after ?? before)?.object.metadata.annotations?.[TICKET_GROUP],
  )
  return changes.map((change) => {
    if (!isToldOf(change)) return change
    const { by, about, after } = change
    const kind = kindBy(byOrder.get(after?.object.metadata.name ?? '') ?? [], isSeen)
    return changeOf({ kind, by, about, after, isNeverApplied: true })
  })
}

/** It is new where all its Tickets are. Without any, now as before, nothing is new, if there is anything to see that by. */
function kindBy(tickets: readonly Change[], isSeen: boolean): ChangeKind {
  if (tickets.length === 0) return isSeen ? 'unchanged' : 'added'
  if (tickets.every(({ kind }) => kind === 'added')) return 'added'
  return tickets.every(({ kind }) => kind === 'unchanged') ? 'unchanged' : 'changed'
}
