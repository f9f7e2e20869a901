import { type Clock, systemClock } from '../cluster/clock.ts'
import { connect } from '../cluster/connection.ts'
import { ApiError } from '../cluster/errors.ts'
import { Backoff } from './backoff.ts'

/** Which pod to evict, and how. */
export interface EvictOptions {
  readonly namespace: string
  readonly pod: string
  /** Another pod of this name is left alone. */
  readonly uid: string
  /** Milliseconds until an eviction that budgets refuse is given up. */
  readonly timeout: number
  /** Seconds that the pod has to end; its own without. */
  readonly gracePeriodSeconds?: number
  readonly kubeconfig?: string
  readonly context?: string
}

/** What became of an eviction: evicted now, gone before, replaced by another pod, or refused until the end. */
export type Eviction = 'evicted' | 'gone' | 'replaced' | 'refused'

/** A budget that refuses is asked again after seconds; a server that asks for no wait at all gets none shorter. */
const RETRY = { initial: 2_000, factor: 2, cap: 30_000, maxRetryAfter: 300_000 }

/**
 * Evicts one pod (`policy/v1` Eviction with a uid precondition). A budget that refuses is asked again; a pod that is
 * gone or was replaced is done. Rejects with `ApiError` for any other answer, such as that of overlapping budgets.
 */
export async function evict(options: EvictOptions, clock: Clock = systemClock): Promise<Eviction> {
  const { namespace, pod, uid, timeout, gracePeriodSeconds, kubeconfig, context } = options
  const connection = connect({ kubeconfig, kubeContext: context }, { clock, meter: { bytes: () => undefined } })
  const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: pod, namespace },
    deleteOptions: { preconditions: { uid }, ...grace },
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/eviction`
  const end = clock.now() + timeout
  const backoff = new Backoff()
  for (;;) {
    try {
      await connection.json({ method: 'POST', path, body })
      return 'evicted'
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.status === 404) return 'gone'
      if (error.status === 409) return 'replaced'
      if (error.status !== 429) throw error
      const wait = backoff.next(RETRY, error.retryAfter)
      if (clock.now() + wait >= end) return 'refused'
      await clock.sleep(wait)
    }
  }
}
