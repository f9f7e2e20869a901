import type { Subject } from '../../finding/index.ts'
import { formatDuration, timeText } from '../../kube/index.ts'
import type { Dialect, OrderSettings } from './settings.ts'

interface Spec {
  strategy?: unknown
  refreshPolicy?: unknown
  daemonSet?: unknown
  template?: { spec?: { duration?: unknown; startTime?: unknown; window?: unknown } }
}

/**
 * The dialect an Order is written in, by the fields that only one of them has; the time of the reservation decides
 * before the strategy. Undefined where nothing tells them apart (research: korder section 1.6).
 */
export function dialectOf({ kind, ...object }: Subject): Dialect | undefined {
  if (kind === 'DaemonOrder') return 'window'
  const { strategy, refreshPolicy, template } = (object as { spec?: Spec }).spec ?? {}
  const { duration, startTime, window } = template?.spec ?? {}
  if (window !== undefined) return 'window'
  if (duration !== undefined || startTime !== undefined || strategy !== undefined) return 'duration'
  return refreshPolicy === undefined ? undefined : 'window'
}

/** The time of a reservation as a dialect writes it; an Order's own time zone is written wherever it can be. */
export function timeFields(
  { duration, startTime, timeZone }: OrderSettings,
  dialect: Dialect,
): Record<string, unknown> {
  const start = startTime === undefined ? {} : { startTime: timeText(startTime) }
  const length = formatDuration(duration)
  return dialect === 'duration' ? { duration: length, ...start } : { window: { duration: length, timeZone, ...start } }
}
