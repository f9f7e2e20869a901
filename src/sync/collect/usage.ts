import type { SnapshotParts } from '../../inventory/index.ts'
import type { EngineContext } from '../context.ts'
import type { Collector, Informer, JsonClient } from './collector.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { samplesIn } from './pod-metrics.ts'
import { UsageRows } from './usage-rows.ts'

export const METRICS_API = '/apis/metrics.k8s.io/v1beta1'
/** Milliseconds between two polls; metrics-server measures four times as often. */
export const POLL_INTERVAL = 60_000
/** Milliseconds between two attempts while the DaemonSets are not listed yet. */
const FIRST_POLL_INTERVAL = 1000
/** Milliseconds without a byte after which a request to the metrics API fails. */
export const TIMEOUT = 20_000

export interface UsageOptions {
  readonly connection: JsonClient
  /** The DaemonSets that nodefit rendered. */
  readonly daemonSets: Informer<OwnDaemonSet>
  /** All DaemonSets that are measured. Default: those that nodefit rendered. */
  readonly measured?: Informer<OwnDaemonSet>
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
  /** Called after each poll. */
  readonly onPoll: () => void
}

/**
 * Collects what the containers of DaemonSets use, from the metrics API: one request for each DaemonSet and minute, for
 * its pods only. Where the metrics API is missing, refuses or fails, the part has `metricsAvailable: false`, and so has
 * the metric of that name; the next poll tries again.
 */
export class UsageCollector implements Collector {
  readonly name = 'usage'
  readonly #options: UsageOptions
  readonly #rows = new UsageRows()
  #isAvailable: boolean | undefined
  #loggedError = ''

  constructor(options: UsageOptions) {
    this.#options = options
  }

  get isSynced(): boolean {
    return this.#isAvailable !== undefined
  }

  async start(signal: AbortSignal): Promise<void> {
    const { daemonSets, context, onPoll } = this.#options
    while (!signal.aborted) {
      if (daemonSets.isSynced) {
        await this.#poll(signal)
        if (!signal.aborted) onPoll()
      }
      await context.clock.sleep(daemonSets.isSynced ? POLL_INTERVAL : FIRST_POLL_INTERVAL, signal)
    }
  }

  part(now: number): SnapshotParts {
    const usage = this.#rows.rows([...this.#options.daemonSets.items().values()], now)
    return this.#isAvailable === undefined ? {} : { ...this.availability(), ...(usage && { usage }) }
  }

  /** Whether the metrics API works, as a part; nothing before it was asked. */
  availability(): SnapshotParts {
    return this.#isAvailable === undefined ? {} : { metricsAvailable: this.#isAvailable }
  }

  /** The rows of all DaemonSets that are measured. */
  rows(now: number): NonNullable<SnapshotParts['usage']> {
    return this.#rows.rows(this.#measured(), now) ?? []
  }

  #measured(): readonly OwnDaemonSet[] {
    const { daemonSets, measured = daemonSets } = this.#options
    return [...measured.items().values()]
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { connection, context } = this.#options
    const { clock } = context
    const present = this.#measured()
    this.#rows.prune(present, clock.now())
    try {
      await connection.json({ path: METRICS_API, signal, timeout: TIMEOUT })
      for (const daemonSet of present.filter(({ selector }) => selector !== '')) {
        const path = `${METRICS_API}/namespaces/${daemonSet.namespace}/pods`
        const query = { labelSelector: daemonSet.selector }
        const metrics = await connection.json({ path, query, signal, timeout: TIMEOUT })
        this.#rows.add(daemonSet, samplesIn(metrics), clock.now())
      }
      this.#setAvailable(true, '')
    } catch (error) {
      if (!signal.aborted) this.#setAvailable(false, String((error as Error)?.message ?? error))
    }
  }

  #setAvailable(isAvailable: boolean, error: string): void {
    const { meter, log } = this.#options.context
    this.#isAvailable = isAvailable
    meter.component('metricsAvailable', isAvailable)
    if (this.#loggedError === error) return
    this.#loggedError = error
    if (isAvailable) log.info('the metrics API works again')
    else log.warn('the metrics API does not work: usage stays as it was seen before', { error })
  }
}
