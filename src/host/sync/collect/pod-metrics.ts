import { MOST_USED } from '../../../facts/usage/index.ts'
import { isMap, listOf, memberOf } from '../../../krm/map.ts'
import { readAmount } from '../../../kube/index.ts'

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
const NANO_PER_MILLI = 1_000_000

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
      const [cpu, memory] = [readAmount(usage.cpu)?.nanoValue(), readAmount(usage.memory)?.value()]
      yield {
        ...{ namespace, pod, at, container },
        ...amountOf('cpu', cpu, MOST_USED * NANO_PER_MILLI),
        ...amountOf('memory', memory && (memory + MEBIBYTE - 1n) / MEBIBYTE, MOST_USED),
      }
    }
  }
}

/** An amount; nothing of one that no machine has, as of a counter that has overflowed. */
function amountOf(name: 'cpu' | 'memory', units: bigint | undefined, most: number): Pick<Sample, 'cpu' | 'memory'> {
  return units === undefined || units > most ? {} : { [name]: Number(units) }
}
