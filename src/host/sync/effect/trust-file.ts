import type { Trust } from '../../../core/index.ts'
import { givenTrust, trustText } from '../../files/trust.ts'
import type { SyncConfig } from '../config/check-config.ts'
import type { EngineContext } from '../context.ts'

/** Milliseconds between two looks at the file. */
const INTERVAL = 5_000

/** Whom the operator trusts to act: an ActionTrust or a keyring, in a mounted Secret that may change at any time. */
export class TrustFile {
  readonly #files: SyncConfig['actions']
  readonly #context: Pick<EngineContext, 'clock' | 'log'>

  constructor({ actions }: Pick<SyncConfig, 'actions'>, context: Pick<EngineContext, 'clock' | 'log'>) {
    this.#files = actions
    this.#context = context
  }

  /** Reads the trust; undefined where no file is configured. Throws `UserError` for a file that cannot be used. */
  readonly read = (): Trust | undefined => givenTrust(this.#files, {}, '')

  /** Calls `onChange` whenever the trust is another, until the signal is aborted: other actions may be valid then. */
  async watch(onChange: () => void, signal: AbortSignal): Promise<void> {
    let seen = trustText(this.read)
    while ((this.#files.trust ?? this.#files.keyring) !== undefined && !signal.aborted) {
      await this.#context.clock.sleep(INTERVAL, signal)
      const text = trustText(this.read)
      if (text !== seen && !signal.aborted) {
        this.#context.log.info('the trust of actions changed: using the new one')
        onChange()
      }
      seen = text
    }
  }
}
