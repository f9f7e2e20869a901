import { KORDER, ORDER_DEFAULTS, type Order, validate } from '../../../kinds/index.ts'
import type { Finding, Read, Subject } from '../../../krm/finding.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { formatDuration, type PodSpec, parseDuration, Schedule, timeText } from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import { checkOrder } from './check-order.ts'

/** Whether an object is an Order in DaemonSet mode. */
export function isDaemonOrder({ apiVersion, kind, ...object }: KubernetesObject | Subject): boolean {
  if (apiVersion !== KORDER) return false
  if (kind === 'DaemonOrder') return true
  const daemonSet = (object as { spec?: { daemonSet?: unknown } | null }).spec?.daemonSet ?? false
  // YAML readers may parse yes or on as true: any value except false counts as this mode, and is validated as such
  return kind === 'Order' && daemonSet !== false
}

/** Reports that a DaemonOrder is to leave the mode that its kind is: nothing reads the field. */
function modeFindings(subject: Subject, { daemonSet }: Order['spec']): Finding[] {
  if (subject.kind !== 'DaemonOrder' || daemonSet !== false) return []
  const { name } = subject.metadata
  const sentence = `DaemonOrder ${name}: spec.daemonSet is not a field of a DaemonOrder, which is in DaemonSet mode by its kind`
  return [
    finding('UnknownField', sentence, {
      subject,
      field: { path: 'spec.daemonSet', currentValue: false },
      mend: 'Remove it. To have the Tickets go, make it an Order with daemonSet: false, which is applied as it is.',
    }),
  ]
}

/**
 * Reads and checks an Order of either dialect (research: korder sections 1.1, 1.5 and 1.6). Returns no settings if
 * there is an error.
 */
export function readOrder(resource: Subject): Read<OrderSettings> {
  const findings = validate('Order', resource)
  if (findings.length > 0) return { findings }
  const { spec } = resource as unknown as Order
  const back = modeFindings(resource, spec)
  if (back.length > 0) return { findings: back }
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

/**
 * The two spellings of a reservation's time in korder's API: `duration` beside `startTime`, and a `window` with both.
 */
export type Dialect = 'duration' | 'window'

export type RefreshPolicy = 'Always' | 'OnClaim' | 'Never'
export type StrategyType = 'OneTime' | 'Scheduled' | 'Recurring'

/** An Order of either dialect, with korder's defaults filled in. */
export interface OrderSettings {
  readonly subject: Subject
  readonly name: string
  readonly namespace?: string
  readonly paused: boolean
  readonly strategy: StrategyType
  readonly refreshPolicy: RefreshPolicy
  readonly schedule?: { text: string; parsed: Schedule }
  /** How long a Ticket holds its reservation, in nanoseconds. */
  readonly duration: bigint
  readonly startTime?: string
  readonly timeZone: string
  readonly labels: Record<string, string>
  readonly annotations: Record<string, string>
  /** The pod template of the guardian pods: all of the template except its times. */
  readonly pod: TicketPod
  /** Undefined if the Order has none of the fields by which the dialects differ. */
  readonly dialect?: Dialect
}

export interface TicketPod extends PodSpec {
  lifecycle?: Order['spec']['template']['spec']['lifecycle']
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> }
}

interface Spec {
  strategy?: unknown
  refreshPolicy?: unknown
  daemonSet?: unknown
  template?: { spec?: { duration?: unknown; startTime?: unknown; window?: unknown } }
}

/**
 * Returns the dialect of an Order by the fields that only one dialect has; the time of the reservation takes precedence
 * over the strategy. Undefined if there are no such fields (research: korder section 1.6).
 */
export function dialectOf({ kind, ...object }: Subject): Dialect | undefined {
  if (kind === 'DaemonOrder') return 'window'
  const { strategy, refreshPolicy, template } = (object as { spec?: Spec }).spec ?? {}
  const { duration, startTime, window } = template?.spec ?? {}
  if (window !== undefined) return 'window'
  if (duration !== undefined || startTime !== undefined || strategy !== undefined) return 'duration'
  return refreshPolicy === undefined ? undefined : 'window'
}

/** Returns the time of a reservation as a dialect writes it; the time zone is written only in `window`. */
export function timeFields(
  { duration, startTime, timeZone }: OrderSettings,
  dialect: Dialect,
): Record<string, unknown> {
  const start = startTime === undefined ? {} : { startTime: timeText(startTime) }
  const length = formatDuration(duration)
  return dialect === 'duration' ? { duration: length, ...start } : { window: { duration: length, timeZone, ...start } }
}
