import { type SnapshotParts, snapshotFromParts } from '../../inventory/index.ts'
import { timeText } from '../../kube/index.ts'

/**
 * The WorkloadSnapshot of what the collectors know; undefined where they know nothing. It depends on that and the time alone, and the time
 * must be that of the inventory beside it.
 */
export function workloadOf(
  parts: readonly SnapshotParts[],
  { cluster, name, now }: { readonly cluster: string; readonly name: string; readonly now: Date },
): Record<string, unknown> | undefined {
  const all: SnapshotParts = Object.assign({}, ...parts)
  if (Object.values(all).every((part) => part === undefined)) return undefined
  const observedAt = timeText(now)
  return snapshotFromParts(all, { name, cluster, observedAt })
}
