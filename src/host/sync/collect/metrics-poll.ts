import type { EngineContext } from '../context.ts'
import type { JsonClient } from './collector.ts'
import { type Sample, samplesIn } from './pod-metrics.ts'

export const METRICS_API = '/apis/metrics.k8s.io/v1beta1'
/** Milliseconds between two polls; metrics-server measures four times as often. */
export const POLL_INTERVAL = 60_000
/** Milliseconds without a byte after which a request to the metrics API fails. */
export const TIMEOUT = 20_000

/** Which pods are measured together: those of a namespace that match a label selector. */
export interface Selection {
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
