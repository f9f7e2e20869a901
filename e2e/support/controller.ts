import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import type { Repository } from './repository.ts'
import { type SyncSpec, writeSyncConfig } from './sync-config.ts'
import { type Line, type SyncProcess, startSync } from './sync-process.ts'

/** What failed is tried again after a minute at first. */
const PATIENCE_MILLISECONDS = 240_000

/** `nodefit sync` of a cluster and a repository, with windows as short as they may be. */
export class Controller {
  readonly #cluster: Cluster
  readonly #repository: Repository
  readonly #name: string
  #spec: SyncSpec = {}
  #process: SyncProcess | undefined

  constructor(cluster: Cluster, repository: Repository, name: string) {
    this.#cluster = cluster
    this.#repository = repository
    this.#name = name
  }

  /** Writes its configuration: these fields instead of those that it has. */
  configure(spec: SyncSpec): void {
    this.#spec = { ...this.#spec, ...spec }
    const { git, ...rest } = this.#spec
    const whole = {
      ...{ cluster: 'prod', quietWindow: '1s', maxWindow: '3s', minPushInterval: '10s', reconcileInterval: '30s' },
      health: { address: '127.0.0.1:0' },
      leaderElection: { namespace: 'default', name: this.#name },
      ...rest,
      git: { url: this.#repository.url, cache: this.#at('cache'), ...git },
    }
    writeSyncConfig(this.#at('yaml'), whole, this.#name)
  }

  start(): void {
    this.#process = startSync(['--config', this.#at('yaml'), '--kubeconfig', join(this.#cluster.folder, 'kubeconfig')])
  }

  /** Waits for a line that begins so, and is as it is to be, and was said after something was begun. */
  async says(beginning: string, body: () => unknown, is: (line: Line) => boolean = () => true): Promise<Line> {
    const from = this.#process?.lines().length ?? 0
    await body()
    if (this.#process === undefined) throw new Error('it was not started')
    return this.#process.said((line) => line.message.startsWith(beginning) && is(line), from, PATIENCE_MILLISECONDS)
  }

  /** The same for a push that writes a file whose name has this in it. */
  pushes(file: string, body: () => unknown): Promise<Line> {
    return this.says('pushed', body, ({ written }) => `${written}`.includes(file))
  }

  /** Tells it to end; gives its exit code. */
  async stop(): Promise<number | null | undefined> {
    return this.#process?.stop()
  }

  #at(extension: string): string {
    return join(this.#cluster.folder, `${this.#name}.${extension}`)
  }
}
