import type { Connection } from '../../cluster/connection.ts'
import { ApiError } from '../../cluster/errors.ts'

/** The fields of a Lease that are read and written; other fields are written as they were read. */
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
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly resourceVersion?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: LeaseSpec
}

/** Reads and writes one Lease. Every method rejects as `Connection.json` does. */
export class LeaseClient {
  readonly #connection: Connection
  readonly #namespace: string
  readonly #name: string

  constructor(connection: Connection, namespace: string, name: string) {
    this.#connection = connection
    this.#namespace = namespace
    this.#name = name
  }

  /** The Lease; undefined where it does not exist. */
  async get(timeout: number, signal?: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#connection.json<Lease>({ path: `${this.#path}/${this.#name}`, timeout, signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** Creates the Lease, or updates the one that was read; returns undefined where another process was first (409). */
  async write(
    read: Lease | undefined,
    spec: LeaseSpec,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Lease | undefined> {
    const metadata = { namespace: this.#namespace, name: this.#name }
    const body: Lease = { metadata, ...read, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec }
    const path = read === undefined ? this.#path : `${this.#path}/${this.#name}`
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

  get #path(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#namespace}/leases`
  }
}

/** A MicroTime of Kubernetes; its last three digits are given separately, since a Date has milliseconds. */
export function microTime(milliseconds: number, microseconds = 0): string {
  return new Date(milliseconds).toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)
}
