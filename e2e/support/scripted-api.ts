import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as it came. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly isWatch: boolean
}

interface Stored {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

type Which = (asked: Asked) => boolean
type Answerer = (asked: Asked, response: ServerResponse) => void

interface OpenWatch {
  readonly path: string
  readonly response: ServerResponse
}

/** Which requests a script is for. */
export const LISTS: Which = ({ method, isWatch }) => method === 'GET' && !isWatch
export const WATCHES: Which = ({ isWatch }) => isWatch

/**
 * An API server as far as lists, watches and single objects go: versions, pages, history, and conflicts by resource version. What it answers
 * next can be scripted, so that each way in which a real one, or the network, fails is a line of a test.
 */
export class ScriptedApi {
  readonly asked: Asked[] = []
  /** Whether watches are told of changes. */
  isTelling = true
  #version = 100
  #oldest = 0
  readonly #objects = new Map<string, Map<string, Stored>>()
  readonly #history: { path: string; version: number; line: string }[] = []
  readonly #watches = new Set<OpenWatch>()
  readonly #scripts: { which: Which; answer: Answerer; left: number }[] = []
  readonly #sockets = new Set<Socket>()
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part) => parts.push(part))
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://api')
        const asked = {
          method: request.method ?? 'GET',
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body: Buffer.concat(parts).toString(),
          isWatch: url.searchParams.get('watch') === 'true',
        }
        this.asked.push(asked)
        const script = this.#scripts.find(({ which, left }) => left > 0 && which(asked))
        if (script !== undefined) script.left--
        const answer = script?.answer ?? this.answer.bind(this)
        answer(asked, response)
      })
    })
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {})
    })
  }

  /** Starts one on a free port of loopback. */
  static async start(): Promise<ScriptedApi> {
    const api = new ScriptedApi()
    await api.listen()
    return api
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** A kubeconfig for it. */
  get kubeconfig(): string {
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'test', cluster: { server: `http://127.0.0.1:${this.port}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'test', user: { token: 'abc' } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'nodefit' } }],
      'current-context': 'test',
    })
  }

  get openWatches(): number {
    return this.#watches.size
  }

  listen(port = 0): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }

  /** Ends the server with every connection, as a crash does. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroy()
    return closed
  }

  /** Answers the next requests of a kind, one unless told, in another way. */
  next(which: Which, answer: Answerer, times = 1): void {
    this.#scripts.push({ which, answer, left: times })
  }

  /** How many requests of a kind came. */
  count(which: Which): number {
    return this.asked.filter(which).length
  }

  /** Creates or changes an object of a collection, such as `/api/v1/nodes`, and tells the watches. */
  put(path: string, object: Stored): Stored {
    const objects = this.#collection(path)
    const type = objects.has(object.metadata.name) ? 'MODIFIED' : 'ADDED'
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } }
    objects.set(object.metadata.name, stored)
    this.#tell(path, type, stored)
    return stored
  }

  remove(path: string, name: string): void {
    const object = this.#collection(path).get(name)
    if (object === undefined) return
    this.#collection(path).delete(name)
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) }
    this.#tell(path, 'DELETED', { ...object, metadata })
  }

  get(path: string, name: string): Stored | undefined {
    return this.#collection(path).get(name)
  }

  all(path: string): readonly Stored[] {
    return [...this.#collection(path).values()]
  }

  /** Tells every watch the present version. */
  bookmark(): void {
    const object = { kind: 'Node', metadata: { resourceVersion: String(this.#version) } }
    this.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
  }

  /** Writes to every open watch. */
  write(text: string): void {
    for (const { response } of this.#watches) response.write(text)
  }

  /** Ends every open watch as a server does in its time. */
  endWatches(): void {
    for (const { response } of this.#watches) response.end()
  }

  /** Breaks the connection of every open watch. */
  resetWatches(): void {
    for (const { response } of this.#watches) response.socket?.resetAndDestroy()
  }

  /** Forgets the history, as a compaction does: what is older is expired. */
  compact(): void {
    this.#version++
    this.#oldest = this.#version
  }

  /** What it answers where nothing is scripted. */
  answer(asked: Asked, response: ServerResponse): void {
    const isList = asked.method === 'GET' && (this.#objects.has(asked.path) || /\/(nodes|pods)$/.test(asked.path))
    if (asked.isWatch) this.#watch(asked, response)
    else if (isList) this.#list(asked, response)
    else if (asked.method === 'POST') this.#create(asked, response)
    else this.#single(asked, response)
  }

  #list({ path, query }: Asked, response: ServerResponse): void {
    const [version, from] = (query.get('continue') ?? `${this.#version}/0`).split('/').map(Number) as [number, number]
    const all = this.all(path)
    const end = from + Number(query.get('limit') ?? all.length)
    const metadata = { resourceVersion: String(version), continue: end < all.length ? `${version}/${end}` : '' }
    if (version < this.#oldest) refuse(response, 410, 'Expired', 'the provided continue parameter is too old')
    else json(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata, items: all.slice(from, end) })
  }

  #watch({ path, query }: Asked, response: ServerResponse): void {
    const version = Number(query.get('resourceVersion'))
    if (version < this.#oldest) {
      refuse(response, 410, 'Expired', 'too old resource version')
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    for (const change of this.#history)
      if (change.path === path && change.version > version) response.write(change.line)
    const watch = { path, response }
    this.#watches.add(watch)
    response.on('close', () => this.#watches.delete(watch))
  }

  #create({ path, body }: Asked, response: ServerResponse): void {
    const object = JSON.parse(body) as Stored
    if (this.get(path, object.metadata.name) === undefined) json(response, 201, this.put(path, object))
    else refuse(response, 409, 'AlreadyExists', `${object.metadata.name} already exists`)
  }

  #single({ method, path, body }: Asked, response: ServerResponse): void {
    const cut = path.lastIndexOf('/')
    const [folder, name] = [path.slice(0, cut), path.slice(cut + 1)]
    const present = this.get(folder, name)
    const sent = body === '' ? undefined : (JSON.parse(body) as Stored)
    const object = method === 'PATCH' ? present && { ...present, ...sent } : sent
    const version = object?.metadata.resourceVersion
    if (present === undefined) refuse(response, 404, 'NotFound', `${name} not found`)
    else if (method === 'GET' || object === undefined) json(response, 200, present)
    else if (version !== undefined && version !== present.metadata.resourceVersion)
      refuse(response, 409, 'Conflict', 'the object has been modified')
    else json(response, 200, this.put(folder, object))
  }

  #collection(path: string): Map<string, Stored> {
    const objects = this.#objects.get(path) ?? new Map<string, Stored>()
    this.#objects.set(path, objects)
    return objects
  }

  #tell(path: string, type: string, object: Stored): void {
    if (!this.isTelling) return
    const line = `${JSON.stringify({ type, object })}\n`
    this.#history.push({ path, version: this.#version, line })
    for (const watch of this.#watches) if (watch.path === path) watch.response.write(line)
  }
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** Answers with a Status object. */
export function refuse(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  json(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }, headers)
}
