import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { readAmount } from '../../kube/index.ts'

/** What one container used in one measurement. */
export interface Sample {
  readonly namespace: string
  readonly pod: string
  /** When it was measured, in milliseconds since 1970. */
  readonly at: number
  readonly container: string
  /** In billionths of a core. */
  readonly cpu?: number
  /** In MiB, rounded up. */
  readonly memory?: number
}

const MEBIBYTE = 2n ** 20n

/** The samples of a PodMetricsList; malformed entries are left out. */
export function* samplesIn(response: unknown): Generator<Sample> {
  for (const item of listOf(memberOf(response, 'items'))) {
    const metadata = memberOf(item, 'metadata')
    const [namespace, pod, timestamp] = [
      memberOf(metadata, 'namespace'),
      memberOf(metadata, 'name'),
      memberOf(item, 'timestamp'),
    ]
    const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
    if (typeof namespace !== 'string' || typeof pod !== 'string' || Number.isNaN(at)) continue
    for (const entry of listOf(memberOf(item, 'containers'))) {
      const [container, usage] = [memberOf(entry, 'name'), memberOf(entry, 'usage')]
      if (typeof container !== 'string' || !isMap(usage)) continue
      const cpu = readAmount(usage.cpu)
      const memory = readAmount(usage.memory)
      yield {
        ...{ namespace, pod, at, container },
        ...(cpu !== undefined && { cpu: Number(cpu.nanoValue()) }),
        ...(memory !== undefined && { memory: Number((memory.value() + MEBIBYTE - 1n) / MEBIBYTE) }),
      }
    }
  }
}
