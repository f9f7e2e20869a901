import { earlierOf, emptyPlanned, type World } from '../../../core/index.ts'
import { findTarget } from '../../../core/object/index.ts'
import { isTicket, KORDER, type SizingSettings } from '../../../kinds/index.ts'
import { type Finding, plural } from '../../../krm/finding.ts'
import { describe, isLocalConfig } from '../../../krm/identity.ts'
import { memberOf } from '../../../krm/map.ts'
import { ownerName, ownerOf } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import { finding } from '../codes.ts'
import type { ReservationPlan } from '../plan-order.ts'
import { ORDER_LABEL } from '../ticket/ticket.ts'
import { isDaemonOrder } from './read-order.ts'
import { nameTells } from './target.ts'

/** Orders that stay out of the cluster while Tickets are rendered from them, and Orders that leave DaemonSet mode. */

/**
 * Whether an object is an Order that is marked as local configuration. If nodefit marked it, the Order may have left
 * DaemonSet mode.
 */
export function isKeptBack(object: KubernetesObject): boolean {
  return isOrder(object) && isLocalConfig(object.metadata.annotations)
}

/** Returns the Tickets that were rendered from an Order before it left DaemonSet mode; undefined if there are none. */
export function formerOrder({ object }: Item, world: World): readonly Item[] | undefined {
  const { name, namespace } = object.metadata
  const tickets = world.earlier([ownerName('Order', name)], namespace).items.filter((item) => isTicket(item.object))
  return tickets.length > 0 ? tickets : undefined
}

/** Plans an Order that left DaemonSet mode: hands it back and removes its Tickets. */
export function planFormer(subject: Item, earlier: readonly Item[]): ReservationPlan {
  const { object } = subject
  const written: unknown = memberOf(object.spec, 'replicas')
  // korder's default
  const replicas = Number.isSafeInteger(written) ? (written as number) : 1
  const sentence = `${object.metadata.name}: ${plural(earlier.length, 'Ticket')} of nodes ${earlier.length === 1 ? 'is' : 'are'} removed, and korder makes ${plural(replicas, 'Ticket')} in their place, where it wants`
  const findings =
    replicas >= earlier.length
      ? []
      : [
          finding('OrderGivenBack', sentence, {
            subject: object,
            lines: [`  replicas: ${earlier.length}`],
            field: { path: 'spec.replicas', proposedValue: earlier.length },
          }),
        ]

  const planned = emptyPlanned({
    subject,
    source: subject,
    isEnabled: false,
    earlier,
    account: [{ kind: 'state', state: 'no longer in DaemonSet mode' } as const],
  })
  return { planned: { ...planned, findings }, reservations: [] }
}

/**
 * Reports an Order that is kept out of the cluster for the first time; undefined for any other object. If the Order is
 * live and a tool prunes it, korder deletes every Ticket with its label, including rendered ones that have it.
 */
export function retirementOf(subject: KubernetesObject, { options }: World): Finding | undefined {
  if (subject.apiVersion !== KORDER || !(isOrder(subject) || isDaemonOrder(subject))) return undefined
  const sentence = `${describe(subject)} is now local configuration and no longer applied`
  if (!isDaemonOrder(subject)) return finding('OrderRetired', sentence, { subject, mend: PLAIN_MEND })
  const isLabelled = options.korder.orderLabel === true
  const how = `${sentence}; its Tickets are rendered ${isLabelled ? 'with' : 'without'} the label ${ORDER_LABEL}`
  return finding('OrderRetired', how, { subject, ...(isLabelled ? { mend: LABELLED_MEND } : {}) })
}

const PLAIN_MEND =
  'If the Order exists in the cluster, korder deletes its Tickets when a tool prunes it, and creates those of the Orders that are rendered from it: what it reserves is free in between.'
const LABELLED_MEND =
  'If the Order exists in the cluster, remove spec.korder.orderLabel: true of the RenderConfig until it is gone: when a tool prunes it, korder deletes all Tickets with its label, the rendered ones too.'

/** Whether an object is an Order of korder, in DaemonSet mode or plain. */
export function isOrder({ apiVersion, kind }: KubernetesObject): boolean {
  return apiVersion === KORDER && kind === 'Order'
}

/**
 * Returns the Order in DaemonSet mode that a run for one disabled policy hands back. That run plans the Order too, as a
 * run for the whole package does, so that its nodes get Tickets again and the guards see both. Undefined for any other
 * run, and while the package contains Tickets of the Order from another policy.
 */
export function handedBack(policy: SizingSettings, world: World): Item | undefined {
  if (world.plansAllSubjects || policy.enabled) return undefined
  const { value: source } = findTarget(world.named(policy.target), world.items, policy)
  if (source === undefined || !isDaemonOrder(source.object)) return undefined
  const { namespace } = source.object.metadata
  const ofPolicy = new Set(earlierOf(policy, source.object, world))
  const isOfIt = nameTells(source.object, world)
  const isUsed = world.items.some((item) => {
    const isSized = ownerOf(item.object)?.startsWith(ownerName('SizingPolicy', '')) === true
    return isSized && !ofPolicy.has(item) && item.object.metadata.namespace === namespace && isOfIt(item.object)
  })
  return isUsed ? undefined : source
}
