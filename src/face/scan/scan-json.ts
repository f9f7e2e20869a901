import { Quantity } from '../../kube/index.ts'
import type { Amounts, NodeShare, ScannedDaemonSet } from './types.ts'

/** The DaemonSets of a cluster as plain values. */
export interface ScanJson {
  readonly daemonSets: ReadonlyArray<ReturnType<typeof rowJson>>
}

/** Returns the DaemonSets of a cluster as plain values for programs: amounts as quantities, shares in percent. */
export function scanJson(rows: readonly ScannedDaemonSet[]): ScanJson {
  return { daemonSets: rows.map(rowJson) }
}

function rowJson({ request, total, smallest, largest, used, unused, first, ...row }: ScannedDaemonSet) {
  return {
    ...row,
    request: amountsJson(request),
    total: amountsJson(total),
    ...(smallest && largest ? { smallestNode: shareJson(smallest), largestNode: shareJson(largest) } : {}),
    ...(used === undefined ? {} : { used: { ...amountsJson(used), pods: used.pods, statistic: 'p95 of one moment' } }),
    ...(unused === undefined ? {} : { unused: amountsJson(unused) }),
    ...(first === undefined ? {} : { first: amountsJson(first) }),
  }
}

function shareJson({ allocatable, cpu, memory }: NodeShare) {
  return { allocatable: amountsJson(allocatable), percent: { cpu, memory } }
}

function amountsJson({ cpu, memory }: Amounts) {
  return { cpu: Quantity.ofMilli(cpu).toString(), memory: Quantity.of(memory, 'BinarySI').toString() }
}
