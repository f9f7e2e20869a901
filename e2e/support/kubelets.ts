import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './fleets/api.ts'

// biome-ignore lint/suspicious/noExplicitAny: pods, read back
type Any = any

const POLL_MILLISECONDS = 200
const PATIENCE_MILLISECONDS = 180_000
/** How long nothing may happen before it is believed that nothing will. */
const STILL_MILLISECONDS = 2000

/** Plays the kubelets of a cluster that has a scheduler: pods that are bound run, and pods that are to go are gone. */
export class Kubelets {
  readonly #api: Api
  #addresses = 0

  constructor(api: Api) {
    this.#api = api
  }

  /** Works until something holds; what does not come to hold in time is thrown. */
  async until(what: string, holds: (pods: readonly Any[]) => boolean | Promise<boolean>): Promise<void> {
    for (const end = Date.now() + PATIENCE_MILLISECONDS; Date.now() < end; await pause(POLL_MILLISECONDS))
      if (await holds(await this.#work(true))) return
    throw new Error(`it did not come about: ${what}`)
  }

  /** Works without starting a pod until nothing happens any more, and says which pods there are then. */
  async untilStill(): Promise<readonly Any[]> {
    let before = ''
    for (let since = Date.now(); ; await pause(POLL_MILLISECONDS)) {
      const pods = await this.#work(false)
      const now = pods.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join()
      if (now !== before) since = Date.now()
      if (Date.now() - since > STILL_MILLISECONDS) return pods
      before = now
    }
  }

  async #work(starts: boolean): Promise<readonly Any[]> {
    const { items: pods }: { items: Any[] } = await this.#api.get('/api/v1/pods')
    for (const { metadata, spec, status } of pods) {
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`
      if (metadata.deletionTimestamp !== undefined) await this.#api.delete(path)
      else if (starts && spec.nodeName !== undefined && status.phase !== 'Running')
        await this.#api.patch(`${path}/status`, { status: this.#running() })
    }
    return pods
  }

  #running(): object {
    const podIP = `10.1.${Math.floor(this.#addresses / 250)}.${(this.#addresses++ % 250) + 1}`
    const lastTransitionTime = new Date().toISOString()
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }]
    return { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions }
  }
}

/** Whether a pod runs and is ready. */
export function isReady({ status }: Any): boolean {
  return (status.conditions ?? []).some(({ type, status: is }: Any) => type === 'Ready' && is === 'True')
}
