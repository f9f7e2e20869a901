import type { Read, Subject } from '../../finding/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { parseDuration, Schedule } from '../../kube/index.ts'
import { KORDER, ORDER_DEFAULTS, type Order, validate } from '../../policy/index.ts'
import { checkOrder } from './check-order.ts'
import { dialectOf } from './dialect.ts'
import type { OrderSettings, TicketPod } from './settings.ts'

/** Whether an object is one from which Tickets are made. */
export function isDaemonOrder({ apiVersion, kind, ...object }: KubernetesObject | Subject): boolean {
  if (apiVersion !== KORDER) return false
  if (kind === 'DaemonOrder') return true
  const daemonSet = (object as { spec?: { daemonSet?: unknown } | null }).spec?.daemonSet ?? false
  // some readers take yes or on for true: whatever is not plainly false is read, and refused, as this mode
  return kind === 'Order' && daemonSet !== false
}

/**
 * Reads and checks an Order of either dialect (research: korder sections 1.1, 1.5 and 1.6). Without settings there is
 * an error.
 */
export function readOrder(resource: Subject): Read<OrderSettings> {
  const findings = validate('Order', resource)
  if (findings.length > 0) return { findings }
  const { spec } = resource as unknown as Order
  const problems = checkOrder(resource, spec)
  if (problems.length > 0) return { findings: problems }
  const { duration, startTime, window, ...pod } = spec.template.spec
  const { strategy } = spec
  const { template } = ORDER_DEFAULTS
  const timeZone = window?.timeZone ?? template.spec.window.timeZone
  const text = strategy?.schedule
  return {
    value: {
      subject: resource,
      name: resource.metadata.name,
      namespace: resource.metadata.namespace,
      paused: spec.paused ?? ORDER_DEFAULTS.paused,
      strategy: strategy?.type ?? ORDER_DEFAULTS.strategy.type,
      refreshPolicy: strategy?.refreshPolicy ?? spec.refreshPolicy ?? ORDER_DEFAULTS.refreshPolicy,
      schedule: text === undefined ? undefined : { text, parsed: Schedule.parse(text, timeZone) },
      duration: parseDuration(duration ?? window?.duration ?? template.spec.duration),
      startTime: startTime ?? window?.startTime,
      timeZone,
      labels: spec.template.metadata?.labels ?? {},
      annotations: spec.template.metadata?.annotations ?? {},
      pod: pod as TicketPod,
      dialect: dialectOf(resource),
    },
    findings: [],
  }
}
