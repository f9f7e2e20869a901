import type { Finding, Subject } from '../finding/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { type PodSpec, parseDuration, Schedule } from '../kube/index.ts'
import { type Order, validate } from '../policy/index.ts'
import { checkOrder } from './check-order.ts'
import { type Dialect, dialectOf } from './dialect.ts'

export type RefreshPolicy = 'Always' | 'OnClaim' | 'Never'
export type StrategyType = 'OneTime' | 'Scheduled' | 'Recurring'

/** An Order in DaemonSet mode, whatever dialect it was written in, with korder's defaults filled in. */
export interface OrderSettings {
  readonly subject: Subject
  readonly name: string
  readonly namespace?: string
  readonly paused: boolean
  readonly strategy: StrategyType
  readonly refreshPolicy: RefreshPolicy
  readonly schedule?: { text: string; parsed: Schedule }
  /** Nanoseconds a Ticket holds its reservation. */
  readonly duration: bigint
  readonly startTime?: string
  readonly timeZone: string
  readonly labels: Record<string, string>
  readonly annotations: Record<string, string>
  /** What the guardian pods are: everything of the template but its times. */
  readonly pod: TicketPod
  /** Undefined where the Order holds nothing by which the dialects differ. */
  readonly dialect?: Dialect
}

export interface TicketPod extends PodSpec {
  lifecycle?: Order['spec']['template']['spec']['lifecycle']
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> }
}

const API = 'core.korder.dev/v1alpha1'
/** korder's own default; not a minute to rely on, so it is always written out. */
const DAY = '24h'

/** Whether an object is one from which Tickets are made. */
export function isDaemonOrder({ apiVersion, kind, ...object }: KubernetesObject | Subject): boolean {
  if (apiVersion !== API) return false
  if (kind === 'DaemonOrder') return true
  const daemonSet = (object as { spec?: { daemonSet?: unknown } | null }).spec?.daemonSet ?? false
  // some readers take yes or on for true: whatever is not plainly false is read, and refused, as this mode
  return kind === 'Order' && daemonSet !== false
}

/** Reads and checks an Order of either dialect (research: korder sections 1.1, 1.5 and 1.6). Without settings there is an error. */
export function readOrder(resource: Subject): { settings?: OrderSettings; findings: Finding[] } {
  const findings = validate('Order', resource)
  if (findings.length > 0) return { findings }
  const { spec } = resource as unknown as Order
  const problems = checkOrder(resource, spec)
  if (problems.length > 0) return { findings: problems }
  const { duration, startTime, window, ...pod } = spec.template.spec
  const { strategy } = spec
  const timeZone = window?.timeZone ?? 'UTC'
  const text = strategy?.schedule
  return {
    settings: {
      subject: resource,
      name: resource.metadata.name,
      namespace: resource.metadata.namespace,
      paused: spec.paused ?? false,
      strategy: strategy?.type ?? 'OneTime',
      refreshPolicy: strategy?.refreshPolicy ?? spec.refreshPolicy ?? 'OnClaim',
      schedule: text === undefined ? undefined : { text, parsed: Schedule.parse(text, timeZone) },
      duration: parseDuration(duration ?? window?.duration ?? DAY),
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
