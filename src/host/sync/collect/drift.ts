import type { Finding } from '../../../krm/finding.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { ApiError } from '../../cluster/errors.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { EngineContext } from '../context.ts'
import type { DriftCheck } from '../effect/evaluation.ts'
import type { JsonClient } from './collector.ts'

/** The name in `collect` of a SyncConfig that asks for this. */
export const DRIFT = 'kubescape'
/** The ConfigMaps that are read, which are those of Kubescape's chart; the Role names them too. */
const CONFIG_MAPS = ['operator', 'node-agent', 'node-agent-daemonset-template']
/** Milliseconds between two reads. */
const INTERVAL = 60_000
/** Milliseconds that a commit has to reach the cluster, before groups that differ there are reported. */
const SETTLE = 600_000
/** Milliseconds without a byte after which a request fails. */
const TIMEOUT = 20_000

export interface DriftOptions {
  readonly connection: JsonClient
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
}

/**
 * Reads now and then what the cluster has of Kubescape's chart, and compares it with what was rendered last. Where that
 * is refused or fails, nothing is reported but that.
 */
export class DriftWatch {
  readonly #options: DriftOptions
  /** When each code was first found without a break. */
  readonly #since = new Map<string, number>()
  #readAt: number | undefined
  #loggedError = ''

  constructor(options: DriftOptions) {
    this.#options = options
  }

  /** Returns what differs; undefined where nothing was read this time. Never rejects. */
  async findings(checks: readonly DriftCheck[], signal: AbortSignal): Promise<readonly Finding[] | undefined> {
    const { clock } = this.#options.context
    const now = clock.now()
    if (this.#readAt !== undefined && now < this.#readAt + INTERVAL && now >= this.#readAt) return undefined
    this.#readAt = now
    try {
      const found = await this.#compare(checks, signal)
      this.#setWorking(true, '')
      return this.#settled(found, now)
    } catch (error) {
      if (!signal.aborted) this.#setWorking(false, error instanceof Error ? error.message : String(error))
      return undefined
    }
  }

  async #compare(checks: readonly DriftCheck[], signal: AbortSignal): Promise<Finding[]> {
    const live = new Map<string, KubernetesObject[]>()
    for (const { namespace } of checks)
      if (!live.has(namespace)) live.set(namespace, await this.#read(namespace, signal))
    return checks
      .flatMap(({ namespace, findings }) => findings(live.get(namespace) ?? []))
      .filter(({ code, severity }) => code !== 'LiveNotShown' && severity !== 'info')
  }

  async #read(namespace: string, signal: AbortSignal): Promise<KubernetesObject[]> {
    const { connection } = this.#options
    const read = <T>(path: string) => connection.json<T>({ path, signal, timeout: TIMEOUT })
    const objects: KubeObject[] = []
    for (const name of CONFIG_MAPS)
      try {
        const object = await read<KubeObject>(`/api/v1/namespaces/${namespace}/configmaps/${name}`)
        objects.push({ ...object, apiVersion: 'v1', kind: 'ConfigMap' })
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error
      }
    const { items } = await read<{ items: KubeObject[] }>(`/apis/apps/v1/namespaces/${namespace}/daemonsets`)
    // a list does not repeat the kind in its items
    objects.push(...items.map((object) => ({ ...object, apiVersion: 'apps/v1', kind: 'DaemonSet' })))
    return objects as unknown as KubernetesObject[]
  }

  /** The findings without groups that may still be applied. */
  #settled(found: readonly Finding[], now: number): readonly Finding[] {
    const codes = new Set(found.map(({ code }) => code))
    for (const code of this.#since.keys()) if (!codes.has(code)) this.#since.delete(code)
    for (const code of codes) if (!this.#since.has(code)) this.#since.set(code, now)
    return found.filter(({ code }) => code !== 'LiveGroupDiffers' || now - (this.#since.get(code) ?? now) >= SETTLE)
  }

  #setWorking(isWorking: boolean, error: string): void {
    const { meter, log } = this.#options.context
    meter.component('api-kubescape', isWorking)
    if (this.#loggedError === error) return
    this.#loggedError = error
    if (isWorking) log.info('what the cluster has of Kubescape can be read again')
    else log.warn('cannot read what the cluster has of Kubescape: nothing of it is compared', { error })
  }
}
