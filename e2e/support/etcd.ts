import { setTimeout as pause } from 'node:timers/promises'

const PAUSE_MILLISECONDS = 100

/** What an etcd stores, by its JSON interface: remembered, and put back as it was. */
export class Etcd {
  readonly #url: string
  #kept = new Map<string, Stored>()

  constructor(url: string) {
    this.#url = url
  }

  /** Remembers what is stored now. */
  async keep(): Promise<void> {
    this.#kept = await this.#all()
  }

  /** Deletes what was stored since, and stores again what was changed or deleted. Leases stay: servers renew them. */
  async reset(): Promise<void> {
    // whoever was about to write something has written it by the second look
    for (let changes = Infinity; changes > 0; await pause(PAUSE_MILLISECONDS)) {
      const present = await this.#all()
      const added = [...present.keys()].filter((key) => !this.#kept.has(key) && !isLease(key))
      const changed = [...this.#kept.values()].filter(
        ({ key, value }) => present.get(key)?.value !== value && !isLease(key),
      )
      for (const key of added) await this.#ask('deleterange', { key })
      for (const { key, value } of changed) await this.#ask('put', { key, value })
      changes = added.length + changed.length
    }
  }

  async #all(): Promise<Map<string, Stored>> {
    const { kvs = [] } = await this.#ask('range', { key: base64('/registry/'), range_end: base64('/registry0') })
    return new Map(kvs.map((stored) => [stored.key, stored]))
  }

  async #ask(what: string, body: object): Promise<{ kvs?: Stored[] }> {
    const answer = await fetch(`${this.#url}/v3/kv/${what}`, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`etcd: ${what}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { kvs?: Stored[] }
  }
}

interface Stored {
  readonly key: string
  readonly value: string
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const isLease = (key: string) => Buffer.from(key, 'base64').toString().startsWith('/registry/leases/kube-system/')
