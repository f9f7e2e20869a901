import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import type { KubernetesObject } from '../../../src/krm/types.ts'

// biome-ignore lint/suspicious/noExplicitAny: what an API server answers
type Answer = any

const CONNECTIONS = 8
/** No request of a test takes so long, and one that is never answered would hold it up for ever. */
const PATIENCE_MILLISECONDS = 60_000
const MANAGER = 'fleets'

/** Where the objects of a kind are. */
const PLACES: Record<string, (namespace: string) => string> = {
  Node: () => '/api/v1/nodes',
  Namespace: () => '/api/v1/namespaces',
  RuntimeClass: () => '/apis/node.k8s.io/v1/runtimeclasses',
  PriorityClass: () => '/apis/scheduling.k8s.io/v1/priorityclasses',
  LimitRange: (namespace) => `/api/v1/namespaces/${namespace}/limitranges`,
  ResourceQuota: (namespace) => `/api/v1/namespaces/${namespace}/resourcequotas`,
  Pod: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
  DaemonSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
}

/** An API server over a few connections that stay open. What it refuses is thrown; what it warns of is kept. */
export class Api {
  readonly warnings: string[] = []
  readonly #agent: Agent
  readonly #server: string
  readonly #token: string
  readonly #headers: Readonly<Record<string, string>>

  /** Takes address and token from the kubeconfig that a started cluster has in its folder; headers may name a user to act as. */
  constructor(folder: string, headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers
    const { clusters, users } = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
    this.#server = clusters[0].cluster.server
    this.#token = users[0].user.token
    // the certificate is one that this very server made a moment ago
    this.#agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false })
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path)
  }

  create(object: KubernetesObject): Promise<Answer> {
    return this.#send('POST', `${placeOf(object)}?fieldValidation=Strict`, object, 'application/json')
  }

  /** Why the API server would not take an object, in its words; undefined where it would. Anything but a refusal is thrown. */
  async refusal(object: KubernetesObject): Promise<string | undefined> {
    try {
      await this.#send('POST', `${placeOf(object)}?fieldValidation=Strict&dryRun=All`, object, 'application/json')
      return undefined
    } catch (error) {
      const { message } = error as Error
      if (/: 4(03|22) /.test(message)) return message
      throw error
    }
  }

  /** Puts the status of an object that is there. */
  status(object: KubernetesObject, status: object): Promise<Answer> {
    return this.patch(`${placeOf(object)}/${object.metadata.name}/status`, { status })
  }

  replace(object: KubernetesObject): Promise<Answer> {
    const path = `${placeOf(object)}/${object.metadata.name}?fieldValidation=Strict`
    return this.#send('PUT', path, object, 'application/json')
  }

  patch(path: string, change: object): Promise<Answer> {
    return this.#send('PATCH', path, change, 'application/merge-patch+json')
  }

  /** Server-side apply. */
  apply(object: KubernetesObject): Promise<Answer> {
    const options = `fieldManager=${MANAGER}&force=true&fieldValidation=Strict`
    const path = `${placeOf(object)}/${object.metadata.name}?${options}`
    return this.#send('PATCH', path, object, 'application/apply-patch+yaml')
  }

  /** Deletes one object or a list of them; the pods of a DaemonSet go after it. */
  delete(path: string): Promise<Answer> {
    const how = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', gracePeriodSeconds: 0 }
    return this.#send('DELETE', path, how, 'application/json')
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(method: string, path: string, body?: object, type?: string): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const content = { 'content-type': type, 'content-length': Buffer.byteLength(text) }
    const own = { authorization: `Bearer ${this.#token}`, ...this.#headers }
    const headers = { ...own, ...(type === undefined ? {} : content) }
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#server}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0, headers: answered } = response
          const answer = Buffer.concat(chunks).toString()
          if (answered.warning !== undefined) this.warnings.push(`${method} ${path}: ${answered.warning}`)
          if (statusCode >= 300) reject(new Error(`${method} ${path}: ${statusCode} ${messageOf(answer)}`))
          else resolve(JSON.parse(answer))
        })
      })
      sent.on('error', reject)
      sent.setTimeout(PATIENCE_MILLISECONDS, () => sent.destroy(new Error(`${method} ${path}: no answer`)))
      sent.end(text)
    })
  }
}

function placeOf({ kind, metadata: { namespace = 'default' } }: KubernetesObject): string {
  const place = PLACES[kind]
  if (place === undefined) throw new Error(`${kind} is not one of the kinds that these suites make`)
  return place(namespace)
}

function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message)
  } catch {
    return text
  }
}
