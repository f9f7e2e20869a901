import { readFileSync } from 'node:fs'
import { systemClock } from './clock.ts'
import { processName, readEnvironment } from './config/environment.ts'
import { readSyncConfig } from './config/read-config.ts'
import type { SyncConfig } from './config/sync-config.ts'
import { watchConfig } from './config/watch-config.ts'
import { Engine, type Surroundings } from './engine.ts'
import { startHealth } from './health.ts'
import { jsonLog, type Log } from './log.ts'
import { type Metrics, prometheusMetrics } from './metrics.ts'
import { PushLimit } from './round.ts'
import { Secrets } from './secrets.ts'

declare const NODEFIT_VERSION: string

/** How the controller is started. */
export interface SyncOptions {
  /** File of the SyncConfig. */
  readonly config: string
  readonly once: boolean
  readonly dryRun: boolean
  readonly kubeconfig?: string
  readonly context?: string
}

const [ENDED, NOT_DONE, NO_CONFIGURATION] = [0, 1, 2]
/** So long may it take to list a cluster once. */
const PATIENCE = 120_000

/** Runs the controller until it is told to end, or once; gives the exit code. Says everything on stdout, a JSON object a line. */
export async function runSync(options: SyncOptions): Promise<number> {
  const { config: file, once, dryRun, kubeconfig, context } = options
  const clock = systemClock
  const secrets = new Secrets()
  const log = jsonLog({ clock, write: (line) => process.stdout.write(line), scrub: (text) => secrets.scrub(text) })
  const metrics = prometheusMetrics({ clock, version: NODEFIT_VERSION })
  const { meter } = metrics
  const limit = new PushLimit(clock)
  const around = { kubeconfig, context, dryRun, version: NODEFIT_VERSION, clock, meter, log, secrets, limit }
  const self = processName(process.env, process.pid)
  const { value: config, findings } = readSyncConfig(readFileSync(file, 'utf8'), file, process.env, self)
  for (const { message } of findings) log.error(message)
  if (config === undefined) return NO_CONFIGURATION
  for (const { level, message } of readEnvironment(process.env).notes) log[level](message)
  const stop = stopSignal(log)
  try {
    if (once) return (await new Engine(config, around).once(stop, PATIENCE)) ? ENDED : NOT_DONE
    await runUntil(stop, { file, self, config, around, metrics })
    return ENDED
  } catch (error) {
    // no cluster, or no address to listen on
    log.error(sentenceOf(error))
    return NO_CONFIGURATION
  }
}

/** Ends when the process is told to. */
function stopSignal(log: Log): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.once(name, () => {
      log.info(`${name}: ending`)
      stop.abort()
    })
  return stop.signal
}

/** One engine after another, each with the newest configuration that can be used. */
async function runUntil(
  stop: AbortSignal,
  {
    file,
    self,
    config: first,
    around,
    metrics,
  }: { file: string; self: string; config: SyncConfig; around: Surroundings; metrics: Metrics },
): Promise<void> {
  const { clock, meter, log } = around
  let config = first
  let engine = new Engine(config, around)
  const serve = ({ health: { host, port } }: SyncConfig) =>
    startHealth({ host, port, clock, status: () => engine.status(), metrics })
  let health = await serve(config)
  while (!stop.aborted) {
    const renew = new AbortController()
    const signal = AbortSignal.any([stop, renew.signal])
    let next: Engine | undefined
    const change = async (changed: SyncConfig) => {
      try {
        const made = new Engine(changed, around)
        if (addressOf(changed) !== addressOf(config)) {
          await health.close()
          // where the new address cannot be listened on, the one before is still free
          health = await serve(changed).catch(async (error: unknown) => {
            health = await serve(config)
            throw error
          })
        }
        config = changed
        next = made
        log.info('the configuration has changed: going on with the new one')
        renew.abort()
      } catch (error) {
        meter.configured(false)
        log.error(`the configuration has changed and cannot be used, the one before goes on: ${sentenceOf(error)}`)
      }
    }
    const watching = watchConfig({
      file,
      environment: process.env,
      self,
      current: config,
      clock,
      meter,
      signal,
      onChange: change,
      onBad: (sentences) =>
        log.error(`the configuration cannot be used, the one before goes on: ${sentences.join('; ')}`),
    })
    await Promise.all([engine.run(signal), watching])
    engine = next ?? engine
  }
  await health.close()
}

function addressOf({ health: { host, port } }: SyncConfig): string {
  return `${host ?? ''}:${port}`
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
