import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Clock } from '../cluster/clock.ts'
import type { HealthConfig } from './config/check-config.ts'

/** A server of one address. */
export interface RunningServer {
  readonly port: number
  close(): Promise<void>
}

interface ServerOptions {
  /** Absent to listen on all addresses. */
  readonly host?: string
  readonly port: number
  readonly handle: RequestListener
}

/** Milliseconds after which a connection without a request is closed. */
const IDLE_TIMEOUT = 3_000
/** Milliseconds for a whole request. */
const REQUEST_TIMEOUT = 10_000
const MAX_CONNECTIONS = 64

/** Serves HTTP with limits that keep silent and slow peers from using it up; rejects where it cannot listen. */
export async function startServer({ host, port, handle }: ServerOptions): Promise<RunningServer> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT,
      headersTimeout: IDLE_TIMEOUT,
      keepAliveTimeout: IDLE_TIMEOUT,
      connectionsCheckingInterval: 1_000,
    },
    handle,
  )
  server.timeout = IDLE_TIMEOUT
  limitConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/**
 * Closes the oldest connection of the address that has the most, where there are too many: whoever opens hundreds
 * loses its own, and a probe is answered.
 */
function limitConnections(server: Server): void {
  const open = new Map<string, Set<Socket>>()
  let count = 0
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const sockets = open.get(address) ?? new Set()
    open.set(address, sockets.add(socket))
    count++
    socket.once('close', () => {
      count--
      sockets.delete(socket)
      if (sockets.size === 0) open.delete(address)
    })
    if (count <= MAX_CONNECTIONS) return
    const [most] = [...open.values()].sort((left, right) => right.size - left.size)
    for (const oldest of most ?? []) {
      oldest.destroy()
      break
    }
  })
}

/** Answers with a line of text. */
export function respond(
  response: ServerResponse,
  code: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(text.endsWith('\n') ? text : `${text}\n`)
}

/** The state of the controller, for probes. */
export interface Status {
  /** When the loop last turned, in milliseconds since 1970. */
  readonly turnedAt: number
  /** The longest time that the loop takes to turn, in milliseconds. */
  readonly turnsWithin: number
  /** Whether everything that is collected was listed, and the API server is not silent. */
  readonly isSynced: boolean
  /** A standby is ready as soon as it is synced. */
  readonly isLeader: boolean
  /** When Git was last up to date, in milliseconds since 1970. */
  readonly upToDateAt?: number
  /** Why nothing is committed until a person acts; undefined where nothing is held. */
  readonly held?: string
  /** Milliseconds that Git may be out of date before the leader is not ready. */
  readonly readyWithin: number
}

export interface HealthOptions extends Pick<HealthConfig, 'host' | 'port'> {
  readonly clock: Clock
  readonly status: () => Status
  readonly metrics: { readonly contentType: string; text(isReady: boolean): Promise<string> }
}

/** The loop is dead after this many times of `turnsWithin`. */
const MAX_TURNS = 3

/** Why the controller is not live; undefined where it is. */
export function whyNotLive({ turnedAt, turnsWithin }: Status, now: number): string | undefined {
  const age = now - turnedAt
  return age <= MAX_TURNS * turnsWithin ? undefined : `the loop has not turned for ${secondsText(age)}`
}

/** Why the controller is not ready; undefined where it is. */
export function whyNotReady(
  { isSynced, isLeader, upToDateAt, readyWithin, held }: Status,
  now: number,
): string | undefined {
  if (!isSynced) return 'the caches are not synced: see the log for what cannot be listed'
  if (!isLeader) return undefined
  if (held !== undefined) return `a guard holds all commits: ${held}`
  if (upToDateAt === undefined) return 'Git is not up to date yet: see the log'
  const age = now - upToDateAt
  return age <= readyWithin ? undefined : `Git was last up to date ${secondsText(age)} ago: see the log`
}

/** Serves /healthz, /readyz and /metrics; rejects where it cannot listen on the address. */
export function startHealth({ host, port, clock, status, metrics }: HealthOptions): Promise<RunningServer> {
  return startServer({
    host,
    port,
    handle: ({ url = '', method }, response) => {
      const [path] = url.split('?')
      if (method !== 'GET' && method !== 'HEAD') return respond(response, 405, 'use GET or HEAD')
      if (path === '/healthz') return respondProbe(response, whyNotLive(status(), clock.now()))
      if (path === '/readyz') return respondProbe(response, whyNotReady(status(), clock.now()))
      if (path !== '/metrics') return respond(response, 404, 'the paths are /healthz, /readyz and /metrics')
      metrics.text(whyNotReady(status(), clock.now()) === undefined).then(
        (text) => respond(response, 200, text, metrics.contentType),
        () => respond(response, 500, 'cannot collect the metrics'),
      )
    },
  })
}

function respondProbe(response: ServerResponse, failure: string | undefined): void {
  respond(response, failure === undefined ? 200 : 503, failure ?? 'ok')
}

function secondsText(milliseconds: number): string {
  return `${Math.round(milliseconds / 1_000)}s`
}
