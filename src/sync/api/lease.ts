import type { Connection } from './connection.ts'
import { ApiError } from './errors.ts'

/** What of a Lease is read and written; the rest is given back as it came. */
export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

export interface Lease {
  readonly apiVersion: 'coordination.k8s.io/v1'
  readonly kind: 'Lease'
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string }
  readonly spec?: LeaseSpec
}

/** One Lease object of the cluster. Everything rejects as `Connection.json` does. */
export class LeaseObject {
  readonly #connection: Connection
  readonly #namespace: string
  readonly #name: string

  constructor(connection: Connection, namespace: string, name: string) {
    this.#connection = connection
    this.#namespace = namespace
    this.#name = name
  }

  /** The Lease as it is; undefined where there is none. */
  async read(timeout: number, signal?: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#connection.json<Lease>({ path: `${this.#folder}/${this.#name}`, timeout, signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** Creates it, or writes it where it is still the one that was read; undefined where somebody else was first. */
  async write(
    read: Lease | undefined,
    spec: LeaseSpec,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Lease | undefined> {
    const own = { namespace: this.#namespace, name: this.#name }
    const body: Lease = { metadata: own, ...read, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec }
    const path = read === undefined ? this.#folder : `${this.#folder}/${this.#name}`
    try {
      return await this.#connection.json<Lease>({
        method: read === undefined ? 'POST' : 'PUT',
        path,
        body,
        timeout,
        signal,
      })
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return undefined
      throw error
    }
  }

  get #folder(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#namespace}/leases`
  }
}

/** A time as Kubernetes writes one with microseconds, of which the last three are given apart. */
export function microTime(milliseconds: number, microseconds = 0): string {
  return new Date(milliseconds).toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)
}
