/** An API server with thousands of nodes: large objects that are made when they are sent, heartbeats, bookmarks, watches that end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is told of a node; the rest of its thirteen kilobytes is the same for all. */
export interface SoakNode {
  readonly name: string
  readonly type: string
  readonly zone: string
  readonly isReady: boolean
  /** When that changed last. */
  readonly since: number
  /** Bytes of memory that pods may use; the kubelet's reserve differs a little from node to node. */
  readonly memory: number
}

/** Of an instance type how many CPUs and GiB. */
export const TYPES: Readonly<Record<string, readonly [cpu: number, memory: number]>> = {
  'm5.large': [2, 8],
  'm5.xlarge': [4, 16],
  'm5.4xlarge': [16, 64],
  'r5.xlarge': [4, 32],
  'r5.2xlarge': [8, 64],
  'c5.2xlarge': [8, 16],
  'c5.4xlarge': [16, 32],
  'm6i.8xlarge': [32, 128],
}

const GIB = 2 ** 30
const PAD = Array.from({ length: 50 }, (_, at) => ({
  names: [
    `registry.example.com/platform/team-${at}/service@sha256:${String(at).padStart(64, 'a')}`,
    `registry.example.com/platform/team-${at}/service:v1.${at}.0`,
  ],
  sizeBytes: 100_000_000 + at,
}))
const SECOND = 1000
const textOf = (time: number) => new Date(time).toISOString().replace('.000Z', 'Z')

export class SoakApi {
  /** Watches that were begun. */
  watches = 0
  readonly #nodes = new Map<string, { node: SoakNode; version: number }>()
  readonly #gone: { line: string; version: number }[] = []
  readonly #open = new Map<ServerResponse, number>()
  readonly #leases = new Map<string, object>()
  readonly #server: Server
  #version = 1000
  #oldest = 0
  #now = Date.parse('2026-11-20T12:00:00Z')

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(): Promise<SoakApi> {
    const api = new SoakApi()
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve))
    return api
  }

  get kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'soak', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'soak', user: { token: 'abc' } }],
      contexts: [{ name: 'soak', context: { cluster: 'soak', user: 'soak', namespace: 'nodefit' } }],
      'current-context': 'soak',
    })
  }

  /** What was written to each open watch, in bytes by port. */
  sent(): Record<string, number> {
    return Object.fromEntries(
      [...this.#open.keys()].map(({ socket }) => [String(socket?.remotePort), socket?.bytesWritten ?? 0]),
    )
  }

  get names(): string[] {
    return [...this.#nodes.keys()]
  }

  get(name: string): SoakNode | undefined {
    return this.#nodes.get(name)?.node
  }

  /** Creates a node, changes it, or, where nothing of it is other, lets it give a sign of life. */
  put(node: SoakNode): void {
    const type = this.#nodes.has(node.name) ? 'MODIFIED' : 'ADDED'
    const version = ++this.#version
    this.#nodes.set(node.name, { node, version })
    if (this.#open.size > 0) this.#tell(lineOf(type, this.#object(node, version)))
  }

  remove(name: string): void {
    const found = this.#nodes.get(name)
    if (found === undefined) return
    this.#nodes.delete(name)
    const version = ++this.#version
    const line = lineOf('DELETED', this.#object(found.node, version))
    this.#gone.push({ line, version })
    this.#tell(line)
  }

  bookmark(): void {
    this.#tell(lineOf('BOOKMARK', { kind: 'Node', metadata: { resourceVersion: String(this.#version) } }))
  }

  /** Time has passed: watches whose time is over are ended. */
  tick(now: number): void {
    this.#now = now
    for (const [response, until] of this.#open) {
      if (until > now) continue
      this.#open.delete(response)
      response.end()
    }
  }

  /** Breaks every watch; with `expired` it cannot be gone on from. */
  cut(how: 'reset' | 'end' | 'expired'): void {
    if (how === 'expired') this.#oldest = ++this.#version
    for (const response of this.#open.keys()) how === 'end' ? response.end() : response.socket?.resetAndDestroy()
    this.#open.clear()
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://api')
    if (path !== '/api/v1/nodes') this.#single(request.method, path, Buffer.concat(parts).toString(), response)
    else if (query.get('watch') === 'true') this.#watch(query, response)
    else this.#list(query, response)
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const [version, from] = (query.get('continue') ?? `${this.#version}/0`).split('/').map(Number) as [number, number]
    const all = [...this.#nodes.values()]
    const end = from + Number(query.get('limit') ?? all.length)
    const metadata = { resourceVersion: String(version), continue: end < all.length ? `${version}/${end}` : '' }
    const items = all.slice(from, end).map((one) => this.#object(one.node, one.version))
    json(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata, items })
  }

  #watch(query: URLSearchParams, response: ServerResponse): void {
    this.watches++
    const from = Number(query.get('resourceVersion'))
    if (from < this.#oldest) {
      json(response, 410, { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' })
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const lines = [...this.#gone, ...[...this.#nodes.values()].map(({ node, version }) => ({ node, version }))].filter(
      ({ version }) => version > from,
    )
    for (const one of lines.sort((a, b) => a.version - b.version))
      response.write('line' in one ? one.line : lineOf('MODIFIED', this.#object(one.node, one.version)))
    this.#open.set(response, this.#now + Number(query.get('timeoutSeconds')) * SECOND)
    response.on('close', () => this.#open.delete(response))
  }

  /** Leases and Events: as much as one writer needs. */
  #single(method = 'GET', path: string, body: string, response: ServerResponse): void {
    const sent = body === '' ? undefined : JSON.parse(body)
    const at = method === 'POST' ? `${path}/${sent.metadata.name}` : path
    if (sent !== undefined)
      this.#leases.set(at, { ...sent, metadata: { ...sent.metadata, resourceVersion: String(++this.#version) } })
    const found = this.#leases.get(at)
    if (found === undefined) json(response, 404, { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound' })
    else json(response, method === 'POST' ? 201 : 200, found)
  }

  #tell(line: string): void {
    for (const response of this.#open.keys()) response.write(line)
  }

  #object({ name, type, zone, isReady, since, memory }: SoakNode, version: number): object {
    const [cpu = 4, size = 16] = TYPES[type] ?? []
    const heard = textOf(this.#now)
    const condition = (kind: string, status: string) => ({
      ...{ type: kind, status, lastHeartbeatTime: heard, lastTransitionTime: textOf(since) },
      ...{ reason: `Kubelet${kind}`, message: `kubelet says of ${kind} that it is ${status}` },
    })
    const amounts = { cpu: String(cpu), pods: '110', 'ephemeral-storage': '100Gi', 'hugepages-1Gi': '0' }
    return {
      metadata: {
        name,
        uid: `uid-${name}`,
        resourceVersion: String(version),
        creationTimestamp: textOf(since),
        labels: {
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/hostname': name,
          'node.kubernetes.io/instance-type': type,
          'topology.kubernetes.io/zone': zone,
          'topology.kubernetes.io/region': 'eu-central-1',
          'karpenter.sh/nodepool': 'general',
          'karpenter.sh/capacity-type': 'on-demand',
          'example.com/rack': `rack-${name}`,
        },
        annotations: { 'csi.volume.kubernetes.io/nodeid': `{"ebs.csi.aws.com":"i-${name}"}`, 'example.com/note': NOTE },
      },
      spec: {
        providerID: `aws:///${zone}/i-${name}`,
        ...(isReady ? {} : { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] }),
      },
      status: {
        capacity: { ...amounts, memory: `${size * GIB}` },
        allocatable: { ...amounts, memory: `${Math.floor(memory / 1024)}Ki` },
        conditions: [
          condition('MemoryPressure', 'False'),
          condition('DiskPressure', 'False'),
          condition('PIDPressure', 'False'),
          condition('Ready', isReady ? 'True' : 'False'),
        ],
        images: PAD,
        nodeInfo: {
          osImage: 'Amazon Linux 2023',
          kubeletVersion: 'v1.34.0',
          architecture: 'amd64',
          operatingSystem: 'linux',
        },
      },
    }
  }
}

const NOTE = 'managed by the platform; '.repeat(40)

function lineOf(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** The node of a number, as it is when it has long been there. */
export function soakNode(
  at: number,
  { type, since = Date.parse('2026-11-01T00:00:00Z') }: { type?: string; since?: number } = {},
): SoakNode {
  const types = Object.keys(TYPES)
  const own = type ?? types[at % types.length] ?? ''
  const [, size = 16] = TYPES[own] ?? []
  // up to 63 Ki apart
  return {
    name: `ip-10-0-${at}.eu-central-1.compute.internal`,
    type: own,
    zone: `eu-central-1${'abc'[at % 3]}`,
    isReady: true,
    since,
    memory: size * GIB * 0.9 - (at % 64) * 1024,
  }
}
