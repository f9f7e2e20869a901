import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { EngineContext } from '../context.ts'
import type { SyncConfig } from './check-config.ts'
import { type ReadConfigOptions, readSyncConfig } from './read-config.ts'

export interface WatchConfigOptions extends ReadConfigOptions {
  readonly file: string
  /** The configuration that is in use. */
  readonly current: SyncConfig
  readonly context: Pick<EngineContext, 'clock' | 'meter'>
  readonly signal: AbortSignal
  /** Called with a valid configuration that differs from the one in use. */
  readonly onChange: (config: SyncConfig, before: SyncConfig) => void
  /** Called with the errors of an invalid configuration; the one in use stays. */
  readonly onInvalid: (messages: readonly string[]) => void
  /** Milliseconds between two reads. Default: 5,000. */
  readonly interval?: number
}

/**
 * A missing file is reported after this many reads: it is absent for a moment while the kubelet swaps the links of a
 * ConfigMap.
 */
const MAX_MISSES = 2

/**
 * Reads the file periodically until the signal is aborted: a ConfigMap is mounted with symbolic links, and file system
 * events for them are unreliable. Each content is reported once.
 */
export async function watchConfig(options: WatchConfigOptions): Promise<void> {
  const { file, context, signal, onChange, onInvalid, interval = 5_000 } = options
  const { clock, meter } = context
  let current = options.current
  let seen: string | undefined
  let misses = 0
  while (!signal.aborted) {
    const text = readText(file)
    misses = text instanceof Error ? misses + 1 : 0
    if (typeof text === 'string' && text !== seen) {
      seen = text
      apply(text)
    } else if (text instanceof Error && misses === MAX_MISSES) {
      seen = undefined
      meter.configured(false)
      onInvalid([`cannot read ${file}: ${text.message}`])
    }
    await clock.sleep(interval, signal)
  }

  function apply(text: string): void {
    const { value, findings } = readSyncConfig(text, file, options)
    if (value === undefined) {
      meter.configured(false)
      onInvalid(findings.map(({ message }) => message))
    } else if (!isDeepStrictEqual(value, current)) {
      const before = current
      current = value
      meter.configured(true)
      onChange(value, before)
    }
  }
}

function readText(file: string): string | Error {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return error as Error
  }
}
