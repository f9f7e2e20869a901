import { keyringText, readKeyringFile } from '../../files/keyring.ts'
import type { Keyring } from '../../world/index.ts'
import type { SyncConfig } from '../config/sync-config.ts'
import type { EngineContext } from '../context.ts'

/** Milliseconds between two looks at the file. */
const INTERVAL = 5_000

/** The keyring of signed actions, in a mounted Secret that may change at any time. */
export class KeyringFile {
  readonly #path: string | undefined
  readonly #context: Pick<EngineContext, 'clock' | 'log'>

  constructor({ actions }: Pick<SyncConfig, 'actions'>, context: Pick<EngineContext, 'clock' | 'log'>) {
    this.#path = actions.keyring
    this.#context = context
  }

  /** Reads the keys; undefined where no file is configured. Throws `UserError` for a file that cannot be used. */
  readonly read = (): Keyring | undefined => (this.#path === undefined ? undefined : readKeyringFile(this.#path, {}))

  /** Calls `onChange` whenever the keys are others, until the signal is aborted: other actions may be valid then. */
  async watch(onChange: () => void, signal: AbortSignal): Promise<void> {
    let seen = keyringText(this.read)
    while (this.#path !== undefined && !signal.aborted) {
      await this.#context.clock.sleep(INTERVAL, signal)
      const text = keyringText(this.read)
      if (text !== seen && !signal.aborted) {
        this.#context.log.info('the keyring of actions changed: using the new one')
        onChange()
      }
      seen = text
    }
  }
}
