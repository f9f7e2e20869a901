import { isDeepStrictEqual } from 'node:util'
import type { SyncConfig } from './config/check-config.ts'
import type { EngineContext } from './context.ts'
import { type HookOptions, startHook } from './hook/hook-server.ts'
import { type HealthOptions, type RunningServer, startHealth } from './server.ts'

export interface ServersOptions extends Pick<HealthOptions, 'status' | 'metrics'>, Pick<HookOptions, 'onPush'> {
  readonly context: EngineContext
}

/** The servers of a configuration: probes and metrics, and the webhook where it is on. */
export class Servers {
  readonly #options: ServersOptions
  #config: SyncConfig | undefined
  #health: RunningServer | undefined
  #hook: RunningServer | undefined

  constructor(options: ServersOptions) {
    this.#options = options
  }

  /** The ports of the two servers; undefined where one does not run. */
  get ports(): { readonly health?: number; readonly hook?: number } {
    return { health: this.#health?.port, hook: this.#hook?.port }
  }

  /**
   * Serves as a configuration says. Rejects where it cannot listen, and serves as before: nothing, where it is the
   * first.
   */
  async use(config: SyncConfig): Promise<void> {
    const before = this.#config
    try {
      await this.#open(config, before)
    } catch (error) {
      // the addresses of before are free: nothing listens on them but this process
      if (before !== undefined) await this.#open(before, undefined)
      // a server that is left would keep a process running that has failed to start
      else await this.close()
      throw error
    }
    this.#config = config
  }

  async close(): Promise<void> {
    await Promise.all([this.#health?.close(), this.#hook?.close()])
    this.#health = undefined
    this.#hook = undefined
  }

  /** Opens the servers that differ from those of another configuration; all of them where there is none. */
  async #open(config: SyncConfig, before: SyncConfig | undefined): Promise<void> {
    const { context, status, metrics, onPush } = this.#options
    const { health, hook, git } = config
    const hasOtherHealth = health.host !== before?.health.host || health.port !== before?.health.port
    const hasOtherHook = !isDeepStrictEqual([hook, git.branch], [before?.hook, before?.git.branch])
    // both are closed first, since one may take the address of the other
    if (hasOtherHealth) await this.#health?.close()
    if (hasOtherHook) await this.#hook?.close()
    if (hasOtherHealth) this.#health = await startHealth({ ...health, clock: context.clock, status, metrics })
    if (!hasOtherHook) return
    this.#hook = hook && (await startHook({ hook, branch: git.branch, onPush, context }))
    if (hook === undefined) context.meter.forgetComponents('hook')
  }
}
