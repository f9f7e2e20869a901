import { type Clock, systemClock } from '../../src/host/cluster/clock.ts'
import type { EngineContext, Log, Meter } from '../../src/host/sync/context.ts'
import { Secrets } from '../../src/host/sync/secrets.ts'

const nothing = (): void => {}

/** A log that drops its lines. */
export const silentLog: Log = { info: nothing, warn: nothing, error: nothing, with: () => silentLog }

/** A meter that measures nothing. */
export const silentMeter: Meter = {
  nodes: nothing,
  suppressed: nothing,
  held: () => undefined,
  guardHolds: nothing,
  fetchFailed: nothing,
  reviewWaits: nothing,
  guardSettled: nothing,
  evaluated: nothing,
  committed: nothing,
  pushed: nothing,
  watchRestarted: nothing,
  missedByWatch: nothing,
  bytes: nothing,
  cloneSize: nothing,
  waitingSince: nothing,
  component: nothing,
  componentRestarted: nothing,
  forgetComponents: nothing,
  hooked: nothing,
  clusterDiffers: nothing,
  settled: nothing,
  actions: nothing,
  configured: nothing,
}

/** A context without output, with these parts in place of its own. */
export function engineContext(parts: Partial<EngineContext> = {}): EngineContext {
  const clock: Clock = systemClock
  return { clock, log: silentLog, meter: silentMeter, secrets: new Secrets(), ...parts }
}
