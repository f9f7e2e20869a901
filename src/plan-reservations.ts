/** The Orders of a package: read, one dialect for all, their Tickets, and what they come to together. */

import { findTarget } from './daemonset/index.ts'
import { type Finding, finding } from './finding/index.ts'
import { isLocalConfig } from './krm/annotation.ts'
import { ownerOf } from './krm/ownership.ts'
import type { Item, KubernetesObject } from './krm/types.ts'
import { type OrderPlan, planOrder } from './plan-order.ts'
import { planSizedOrders, type SizedOrdersPlan } from './plan-sized-orders.ts'
import type { SizingSettings } from './policy/index.ts'
import {
  checkCapacity,
  checkQuotas,
  type Dialect,
  duplicatedTickets,
  isDaemonOrder,
  isQuota,
  isTicket,
  liveItems,
  NODE,
  type OrderSettings,
  readLive,
  readOrder,
} from './reservation/index.ts'
import type { Scope } from './scope/index.ts'

/** Plans every Order of the package that is to be rendered. */
export function planOrders(
  scope: Scope,
  past: readonly Item[],
  policies: readonly SizingSettings[],
): { orders: OrderPlan[]; sized: SizedOrdersPlan[]; findings: Finding[] } {
  const read = scope.orders.map(({ subject }) => readOrder(subject))
  const findings = [...read.flatMap((one) => one.findings), ...twice(scope)]
  if (scope.orders.length + policies.length > 0) findings.push(...liveItems(scope.items.map(({ object }) => object)))
  const settings = read.flatMap((one) => (one.settings === undefined ? [] : [one.settings]))
  const targets = policies.flatMap((policy) => targetSettings(policy, scope))
  const chosen = dialectFor([...settings, ...targets], scope)
  findings.push(...chosen.findings)
  const orders = settings.map((order) => planOrder(order, scope, past, chosen.dialect))
  const sized = policies.map((policy) => planSizedOrders(policy, scope, past, chosen.dialect))
  findings.push(...orders.flatMap((one) => one.findings), ...sized.flatMap(({ policy }) => policy.findings))
  return { orders, sized, findings }
}

/** The Order that a policy sizes, as far as it can be read; what is wrong with it is said where it is planned. */
function targetSettings(policy: SizingSettings, { items }: Scope): OrderSettings[] {
  const { item } = findTarget(items, policy)
  if (item === undefined || !policy.enabled || !isDaemonOrder(item.object)) return []
  const { settings } = readOrder(item.object)
  return settings === undefined ? [] : [settings]
}

/** What the Tickets of all Orders come to on their nodes, in the Quotas, and beside what was written by hand. */
export function checkTogether(
  orders: readonly OrderPlan[],
  sized: readonly SizedOrdersPlan[],
  scope: Scope,
): Finding[] {
  const objects = scope.items.map(({ object }) => object)
  const reservations = [...orders, ...sized.flatMap((one) => one.orders)].map(({ order, tickets }) => ({
    name: order.name,
    tickets,
  }))
  const fleet = [...orders, ...sized.map(({ policy }) => policy)].find((one) => one.fleet !== undefined)?.fleet
  const own = [...orders, ...sized.map(({ policy }) => policy)]
  const earlier = new Set(own.flatMap(({ rendering }) => rendering.earlier.map(({ object }) => object)))
  const targets = new Set(sized.map(({ policy }) => policy.target?.object))
  const kept = objects.filter(
    (object) =>
      isCounted(object) && !earlier.has(object) && !targets.has(object) && !isLocalConfig(object.metadata.annotations),
  )
  const rendered = own.flatMap(({ rendering }) => rendering.objects.map(({ object }) => object)).filter(isCounted)
  const namespaces = new Map(
    objects
      .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace')
      .map(({ metadata }) => [metadata.name, { 'kubernetes.io/metadata.name': metadata.name, ...metadata.labels }]),
  )
  return [
    ...(fleet === undefined ? [] : checkCapacity(reservations, fleet)),
    ...checkQuotas(objects.filter(isQuota), [...rendered, ...kept], namespaces),
    ...duplicatedTickets(reservations, objects, readLive(objects, fleet?.cluster).tickets ?? []),
  ]
}

/** A run for one policy alone must not double what another run rendered from the same Order. */
export function doubledTickets(orders: readonly OrderPlan[], { items }: Scope): Finding[] {
  return orders.flatMap(({ order, tickets, rendering }) => {
    const own = new Set<unknown>(rendering.earlier)
    const nodes = new Set(tickets.map(({ node }) => node))
    const names = [order.name, `${order.name}-`]
    const other = items.find((item) => {
      const { metadata } = item.object
      const group = String(metadata.annotations?.['korder.dev/ticket-group'] ?? '')
      const isSame = group === names[0] || group.startsWith(names[1] ?? '') || order.name.startsWith(`${group}-`)
      const isOurs = isTicket(item.object) && ownerOf(item.object) !== undefined && !own.has(item)
      return isOurs && isSame && metadata.namespace === order.namespace && nodes.has(metadata.annotations?.[NODE] ?? '')
    })
    if (other === undefined) return []
    const sentence = `${order.name} and ${ownerOf(other.object)} both reserve on node ${other.object.metadata.annotations?.[NODE]}`
    return [finding('PolicyOverlap', sentence, { subject: order.subject })]
  })
}

/** One dialect for all Tickets of a package: the one the run asks for, else that of the Orders. */
function dialectFor(orders: readonly OrderSettings[], { options }: Scope): { dialect: Dialect; findings: Finding[] } {
  if (options.korder.dialect !== undefined) return { dialect: options.korder.dialect, findings: [] }
  const first = orders.find(({ dialect }) => dialect !== undefined)
  const other = orders.find(({ dialect }) => dialect !== undefined && dialect !== first?.dialect)
  if (first === undefined || other === undefined) return { dialect: first?.dialect ?? 'duration', findings: [] }
  const sentence = `${first.name} is written with ${first.dialect}, ${other.name} with ${other.dialect}`
  return {
    dialect: first.dialect ?? 'duration',
    findings: [finding('DialectMixed', sentence, { subject: other.subject })],
  }
}

/** The Orders of one name would make the same Tickets. */
function twice({ orders }: Scope): Finding[] {
  const seen = new Set<string>()
  return orders.flatMap(({ subject }) => {
    const key = `${subject.metadata.namespace ?? ''}/${subject.metadata.name}`
    if (seen.has(key)) return [finding('DuplicatePolicy', `there are two Orders ${subject.metadata.name}`, { subject })]
    seen.add(key)
    return []
  })
}

/** Orders and Tickets that are applied and count against a Quota. */
function isCounted(object: KubernetesObject): boolean {
  if (isTicket(object)) return true
  return object.apiVersion === 'core.korder.dev/v1alpha1' && object.kind === 'Order' && !isDaemonOrder(object)
}
