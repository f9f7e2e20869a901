import { listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { readUnits } from './amounts.ts'
import { daemonKey } from './daemon-pods.ts'
import type { Amounts } from './types.ts'

/** What the containers of a pod use at one moment, by container. */
export type PodUsage = ReadonlyMap<string, Amounts>

/** Returns what each pod uses, by namespace and name, from PodMetrics; amounts that cannot be read count as none. */
export function podUsages(metrics: Iterable<KubernetesObject>): Map<string, PodUsage> {
  const usages = new Map<string, PodUsage>()
  for (const object of metrics) {
    const { namespace, name } = object.metadata
    const containers = listOf(memberOf(object, 'containers')).map(
      (entry) => [String(memberOf(entry, 'name') ?? ''), amountsOf(memberOf(entry, 'usage'))] as const,
    )
    if (containers.length > 0) usages.set(daemonKey(namespace, name), new Map(containers))
  }
  return usages
}

function amountsOf(usage: unknown): Amounts {
  return {
    cpu: readUnits('cpu', memberOf(usage, 'cpu')) ?? 0n,
    memory: readUnits('memory', memberOf(usage, 'memory')) ?? 0n,
  }
}

/** Returns the 95th percentile of some amounts by nearest rank; undefined for none. */
export function p95(amounts: readonly bigint[]): bigint | undefined {
  const sorted = [...amounts].sort((a, b) => Number(a - b))
  return sorted[Math.ceil(sorted.length * 0.95) - 1]
}
