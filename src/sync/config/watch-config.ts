import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../clock.ts'
import type { Meter } from '../meter.ts'
import type { Environment } from './environment.ts'
import { readSyncConfig } from './read-config.ts'
import type { SyncConfig } from './sync-config.ts'

/** What is watched, and who is told. */
export interface WatchConfigOptions {
  readonly file: string
  readonly environment: Environment
  /** The name of this replica. */
  readonly self: string
  /** The configuration that is in use. */
  readonly current: SyncConfig
  readonly clock: Clock
  readonly meter: Meter
  readonly signal: AbortSignal
  /** Another configuration is to be used from now on. */
  readonly onChange: (config: SyncConfig, before: SyncConfig) => void
  /** What the file has now cannot be used: the sentences say why. The one before goes on. */
  readonly onBad: (sentences: readonly string[]) => void
  /** Milliseconds between two looks at the file. */
  readonly interval?: number
}

const INTERVAL = 5_000

/**
 * Reads the file again and again until the signal is aborted: a ConfigMap is mounted by links that are swapped, which no watch of a file
 * notices reliably. Whoever is told is told once of each content; a file that is away for a moment while links are swapped is read at the next look.
 */
export async function watchConfig(options: WatchConfigOptions): Promise<void> {
  const { file, environment, self, clock, meter, signal, onChange, onBad, interval = INTERVAL } = options
  let current = options.current
  let seen: string | undefined
  let misses = 0
  while (!signal.aborted) {
    const text = textOf(file)
    misses = text instanceof Error ? misses + 1 : 0
    if (typeof text === 'string' && text !== seen) {
      seen = text
      take(text)
    } else if (text instanceof Error && misses === 2) {
      seen = undefined
      meter.configured(false)
      onBad([`${file} cannot be read: ${text.message}`])
    }
    await clock.sleep(interval, signal)
  }

  function take(text: string): void {
    const { value, findings } = readSyncConfig(text, file, environment, self)
    if (value === undefined) {
      meter.configured(false)
      onBad(findings.map(({ message }) => message))
    } else if (!isDeepStrictEqual(value, current)) {
      const before = current
      current = value
      meter.configured(true)
      onChange(value, before)
    }
  }
}

function textOf(file: string): string | Error {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return error as Error
  }
}
