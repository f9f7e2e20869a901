import type { Subject } from '../../finding/index.ts'
import type { PodSpec, Schedule } from '../../kube/index.ts'
import type { Order } from '../../policy/index.ts'

/**
 * korder's API has had two spellings of a reservation's time: `duration` beside `startTime`, and a `window` of both.
 */
export type Dialect = 'duration' | 'window'

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
