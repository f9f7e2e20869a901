import { readFileSync } from 'node:fs'
import { systemClock } from '../cluster/clock.ts'
import type { SyncConfig } from './config/check-config.ts'
import { environmentNotes, processName, type ReadConfigOptions, readSyncConfig } from './config/read-config.ts'
import { watchConfig } from './config/watch-config.ts'
import { Engine, type EngineOptions } from './engine.ts'
import { jsonLog } from './log.ts'
import { type Metrics, prometheusMetrics } from './metrics.ts'
import { PushLimit } from './round.ts'
import { Secrets } from './secrets.ts'
import { Servers } from './servers.ts'
import { stopSignal } from './stop-signal.ts'

export { type Eviction, type EvictOptions, evict } from './evict.ts'

declare const NODEFIT_VERSION: string

/** The options of `nodefit sync`. */
export interface SyncOptions {
  /** The file of the SyncConfig. */
  readonly config: string
  readonly once: boolean
  readonly dryRun: boolean
  readonly kubeconfig?: string
  readonly context?: string
}

const EXIT_CODE = { success: 0, notUpToDate: 1, cannotStart: 2 } as const
/** Milliseconds that --once waits for the lists of the cluster. */
const SYNC_TIMEOUT = 120_000

/**
 * Runs the controller until it receives SIGTERM or SIGINT, or with `once` for one round. Resolves with the exit code.
 * Logs JSON lines to stdout.
 */
export async function runSync(options: SyncOptions): Promise<number> {
  const { config: file, once, dryRun, kubeconfig, context: kubeContext } = options
  const clock = systemClock
  const secrets = new Secrets()
  const log = jsonLog({ clock, write: (line) => process.stdout.write(line), scrub: (text) => secrets.scrub(text) })
  const metrics = prometheusMetrics({ clock, version: NODEFIT_VERSION })
  const context = { clock, meter: metrics.meter, log, secrets }
  const engineOptions = {
    kubeconfig,
    kubeContext,
    dryRun,
    version: NODEFIT_VERSION,
    limit: new PushLimit(clock),
    context,
  }
  const environment = process.env
  const reading = { environment, processName: processName(environment, process.pid), dryRun }
  for (const { message, variable } of environmentNotes(environment)) log.warn(message, { variable })
  const { value: config, findings } = readSyncConfig(readFileSync(file, 'utf8'), file, reading)
  for (const { code, message } of findings) log.error(message, { code })
  if (config === undefined) return EXIT_CODE.cannotStart
  const stop = stopSignal(log)
  try {
    if (once) {
      const isUpToDate = await new Engine(config, engineOptions).runOnce(stop, SYNC_TIMEOUT)
      return isUpToDate ? EXIT_CODE.success : EXIT_CODE.notUpToDate
    }
    await runUntil(stop, { file, reading, config, engineOptions, metrics })
    return EXIT_CODE.success
  } catch (error) {
    // no cluster is configured, or the address is in use
    log.error(messageOf(error))
    return EXIT_CODE.cannotStart
  }
}

interface Run {
  readonly file: string
  readonly reading: ReadConfigOptions
  readonly config: SyncConfig
  readonly engineOptions: EngineOptions
  readonly metrics: Metrics
}

/** Runs an engine, and replaces it whenever the file has another valid configuration. */
async function runUntil(
  stop: AbortSignal,
  { file, reading, config: first, engineOptions, metrics }: Run,
): Promise<void> {
  const { context } = engineOptions
  const { meter, log } = context
  let config = first
  let engine = new Engine(config, engineOptions)
  const status = () => engine.status()
  const onPush = (commit: string | undefined) => engine.onPush(commit)
  const servers = new Servers({ context, metrics, status, onPush })
  await servers.use(config)
  while (!stop.aborted) {
    const renew = new AbortController()
    const signal = AbortSignal.any([stop, renew.signal])
    let next: Engine | undefined
    const onChange = async (changed: SyncConfig) => {
      try {
        const changedEngine = new Engine(changed, engineOptions)
        await servers.use(changed)
        config = changed
        next = changedEngine
        log.info('the configuration changed: using the new one')
        renew.abort()
      } catch (error) {
        meter.configured(false)
        log.error(`cannot use the changed configuration, keeping the previous one: ${messageOf(error)}`)
      }
    }
    const watching = watchConfig({
      ...reading,
      file,
      current: config,
      context,
      signal,
      onChange,
      onInvalid: (messages) =>
        log.error(`cannot use the changed configuration, keeping the previous one: ${messages.join('; ')}`),
    })
    await Promise.all([engine.run(signal), watching])
    engine = next ?? engine
  }
  await servers.close()
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
