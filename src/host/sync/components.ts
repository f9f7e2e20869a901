import type { SnapshotParts } from '../../facts/inventory/index.ts'
import { BACKOFF, Backoff } from './backoff.ts'
import type { EngineContext, Meter } from './context.ts'

type Row = NonNullable<SnapshotParts['components']>[number]

/** Remembers the state of the components, for those who do not read metrics. */
export class Components {
  readonly #states = new Map<string, boolean>()
  readonly #restarts = new Map<string, number>()

  /** A meter that also remembers here. */
  observing(meter: Meter): Meter {
    return {
      ...meter,
      component: (name, isUp) => {
        this.#states.set(name, isUp)
        meter.component(name, isUp)
      },
      componentRestarted: (name) => {
        this.#restarts.set(name, (this.#restarts.get(name) ?? 0) + 1)
        meter.componentRestarted(name)
      },
      forgetComponents: (...names) => {
        for (const name of names.length === 0 ? [...this.#states.keys()] : names) this.#states.delete(name)
        meter.forgetComponents(...names)
      },
    }
  }

  /** The state of each, sorted by name. */
  rows(): Row[] {
    return [...this.#states]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, healthy]) => ({ name, healthy, restarts: this.#restarts.get(name) ?? 0 }))
  }
}

/**
 * Runs a part of the controller until the signal is aborted. One that throws or ends before is reported, and restarted
 * with a growing pause, so that a fault in one does not stop the others. Never rejects.
 */
export async function supervise(
  name: string,
  run: (signal: AbortSignal) => Promise<unknown>,
  context: Pick<EngineContext, 'clock' | 'log' | 'meter'>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, meter } = context
  const backoff = new Backoff()
  for (;;) {
    meter.component(name, true)
    const error = await run(signal).then(
      () => new Error('it ended'),
      (thrown: unknown) => thrown,
    )
    if (signal.aborted) return
    meter.component(name, false)
    meter.componentRestarted(name)
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    log.error(`a component failed: restarting it: ${message}`, { component: name, stack })
    await clock.sleep(backoff.next(BACKOFF.unreachable), signal)
    if (signal.aborted) return
  }
}
