import type { Subject } from '../finding/index.ts'
import { isTime } from '../kube/index.ts'

/** The newest time at which one of the inventories and snapshots was taken; undefined where none says. */
export function newestTime(sources: readonly Subject[]): Date | undefined {
  const times = sources
    .map((source) => (source as { spec?: { observedAt?: unknown } | null }).spec?.observedAt)
    .filter((text): text is string => typeof text === 'string' && isTime(text))
    .map((text) => new Date(text).getTime())
  return times.length === 0 ? undefined : new Date(times.reduce((newest, time) => Math.max(newest, time)))
}
