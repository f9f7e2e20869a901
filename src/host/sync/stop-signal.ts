import type { Log } from './context.ts'

/** What of the process this needs. */
export interface StoppedProcess {
  once(name: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
  exit(code: number): void
  /** The kinds of what keeps the process running. */
  getActiveResourcesInfo(): readonly string[]
}

/**
 * Milliseconds from the signal to the end, below the 60 seconds after which Kubernetes kills the pod: a push is stopped
 * and the Lease released well within.
 */
const LIMIT = 50_000
const ENDED_BY_LIMIT = 1

/**
 * Returns a signal that SIGTERM and SIGINT abort. A process that has not ended some time later says what keeps it
 * running, and ends with exit code 1: its Lease expires as after a kill.
 */
export function stopSignal(
  log: Pick<Log, 'info' | 'error'>,
  stopped: StoppedProcess = process,
  limit = LIMIT,
): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    stopped.once(name, () => {
      log.info(`received ${name}: shutting down`)
      stop.abort()
      setTimeout(() => {
        const waiting = [...new Set(stopped.getActiveResourcesInfo())].join(', ')
        log.error(`not ended ${limit / 1000} s after ${name}: ending without release of the Lease`, { waiting })
        stopped.exit(ENDED_BY_LIMIT)
      }, limit).unref()
    })
  return stop.signal
}
