import type { SnapshotParts } from '../../inventory/index.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Asking, Collector, Watched } from './collector.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { samplesIn } from './pod-metrics.ts'
import { UsageRows } from './usage-rows.ts'

const API = '/apis/metrics.k8s.io/v1beta1'
/** Milliseconds between two looks at the metrics; metrics-server measures four times as often. */
const EVERY = 60_000
/** Milliseconds before the first look, while the DaemonSets are not known. */
const SOON = 1000
/** Milliseconds that the metrics API may be silent. */
const TIMEOUT = 20_000

export interface UsageOptions {
  readonly connection: Asking
  readonly daemonSets: Watched<OwnDaemonSet>
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
  /** Called after each look. */
  readonly onLook: () => void
}

/**
 * What the containers of rendered DaemonSets use, from the metrics API: one request a minute and DaemonSet, which gives its pods alone. A
 * metrics API that is missing, refuses or fails is `metricsAvailable: false` and the metric of that name; the next minute tries again.
 */
export class UsageCollector implements Collector {
  readonly name = 'usage'
  readonly #options: UsageOptions
  readonly #rows = new UsageRows()
  #isAvailable: boolean | undefined
  #said = ''

  constructor(options: UsageOptions) {
    this.#options = options
  }

  get isSynced(): boolean {
    return this.#isAvailable !== undefined
  }

  async start(signal: AbortSignal): Promise<void> {
    const { daemonSets, clock } = this.#options
    while (!signal.aborted) {
      if (daemonSets.isSynced) {
        await this.#look(signal)
        if (!signal.aborted) this.#options.onLook()
      }
      await clock.sleep(daemonSets.isSynced ? EVERY : SOON, signal)
    }
  }

  part(now: number): SnapshotParts {
    if (this.#isAvailable === undefined) return {}
    const usage = this.#rows.written([...this.#options.daemonSets.items().values()], now)
    return { metricsAvailable: this.#isAvailable, ...(usage && { usage }) }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { connection, daemonSets, clock } = this.#options
    const own = [...daemonSets.items().values()]
    this.#rows.keep(own, clock.now())
    try {
      await connection.json({ path: API, signal, timeout: TIMEOUT })
      for (const one of own.filter(({ selector }) => selector !== '')) {
        const path = `${API}/namespaces/${one.namespace}/pods`
        const query = { labelSelector: one.selector }
        this.#rows.add(one, samplesIn(await connection.json({ path, query, signal, timeout: TIMEOUT })), clock.now())
      }
      this.#say(true, '')
    } catch (error) {
      if (!signal.aborted) this.#say(false, String((error as Error)?.message ?? error))
    }
  }

  #say(isAvailable: boolean, why: string): void {
    const { meter, log } = this.#options
    this.#isAvailable = isAvailable
    meter.component('metricsAvailable', isAvailable)
    if (this.#said === why) return
    this.#said = why
    if (isAvailable) log.info('the metrics API answers again')
    else log.warn('the metrics API does not answer; usage is what was seen before', { error: why })
  }
}
