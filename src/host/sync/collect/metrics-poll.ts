import { MOST_USED } from '../../../facts/usage/index.ts'
import { isMap, listOf, memberOf } from '../../../krm/map.ts'
import { readAmount } from '../../../kube/index.ts'
import type { EngineContext } from '../context.ts'
import type { JsonClient } from './collector.ts'

export const METRICS_API = '/apis/metrics.k8s.io/v1beta1'
/** Milliseconds between two polls; metrics-server measures four times as often. */
export const POLL_INTERVAL = 60_000
/** Milliseconds without a byte after which a request to the metrics API fails. */
export const TIMEOUT = 20_000

/** Which pods are measured together: those of a namespace that match a label selector. */
interface Selection {
  readonly namespace: string
  readonly selector: string
}

/**
 * Asks the metrics API what pods use: one request for each namespace and selector. Where it is missing, refuses or
 * fails, the other namespaces are asked, and the metric `metricsAvailable` says so.
 */
export class MetricsPoll {
  readonly #connection: JsonClient
  readonly #context: Pick<EngineContext, 'meter' | 'log'>
  #isAvailable: boolean | undefined
  #loggedError = ''

  constructor(connection: JsonClient, context: Pick<EngineContext, 'meter' | 'log'>) {
    this.#connection = connection
    this.#context = context
  }

  /** Whether the last poll worked; undefined before the first. */
  get isAvailable(): boolean | undefined {
    return this.#isAvailable
  }

  /** Forgets the last poll: another process asks from now on. */
  forget(): void {
    this.#isAvailable = undefined
  }

  /** Calls `visit` with each sample. Never rejects. */
  async poll(selections: readonly Selection[], visit: (sample: Sample) => void, signal: AbortSignal): Promise<void> {
    const request = { signal, timeout: TIMEOUT }
    let error = await this.#connection.json({ ...request, path: METRICS_API }).then(() => '', messageOf)
    for (const { namespace, selector } of error === '' ? selections : []) {
      const path = `${METRICS_API}/namespaces/${namespace}/pods`
      const failed = await this.#connection
        .json({ ...request, path, query: { labelSelector: selector } })
        .then((response) => {
          for (const sample of samplesIn(response)) visit(sample)
          return ''
        }, messageOf)
      if (error === '') error = failed
    }
    if (!signal.aborted) this.#setAvailable(error)
  }

  #setAvailable(error: string): void {
    const { meter, log } = this.#context
    this.#isAvailable = error === ''
    meter.component('metricsAvailable', this.#isAvailable)
    if (this.#loggedError === error) return
    this.#loggedError = error
    if (this.#isAvailable) log.info('the metrics API works again')
    else log.warn('the metrics API does not work: usage stays as it was seen before', { error })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

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
