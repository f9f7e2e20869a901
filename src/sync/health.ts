import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from './clock.ts'
import type { HealthConfig } from './config/sync-config.ts'

/** How the controller is. */
export interface Status {
  /** When its loop last turned, in milliseconds since 1970. */
  readonly turnedAt: number
  /** The longest that its loop waits before it turns again, in milliseconds. */
  readonly turnsWithin: number
  /** Whether everything that is collected has been listed, and its watch is not cut off. */
  readonly isSynced: boolean
  /** A standby is ready as soon as it is synced. */
  readonly isLeader: boolean
  /** When Git was last found or made as it should be, in milliseconds since 1970. */
  readonly rightAt?: number
  /** How long Git may not have been right before a leader is not ready, in milliseconds. */
  readonly readyWithin: number
}

/** What the server answers from. */
export interface HealthOptions extends Pick<HealthConfig, 'host' | 'port'> {
  readonly clock: Clock
  readonly status: () => Status
  readonly metrics: { readonly contentType: string; text(): Promise<string> }
}

/** A server of the endpoints. */
export interface Health {
  readonly port: number
  close(): Promise<void>
}

const TURNS = 3

/** Why the loop does not count as alive: it has not turned for three times as long as it ever waits. Undefined where it does. */
export function whyNotLive({ turnedAt, turnsWithin }: Status, now: number): string | undefined {
  const age = now - turnedAt
  return age <= TURNS * turnsWithin ? undefined : `the loop has not turned for ${inSeconds(age)}`
}

/** Why the controller does not count as ready; undefined where it does. */
export function whyNotReady({ isSynced, isLeader, rightAt, readyWithin }: Status, now: number): string | undefined {
  if (!isSynced) return 'the caches are not synced'
  if (!isLeader) return undefined
  if (rightAt === undefined) return 'Git has not been found or made as it should be yet'
  const age = now - rightAt
  return age <= readyWithin ? undefined : `Git was last as it should be ${inSeconds(age)} ago`
}

/** Serves /healthz, /readyz and /metrics until it is closed; rejects where the address cannot be listened on. */
export async function startHealth(options: HealthOptions): Promise<Health> {
  const { host, port, clock, status, metrics } = options
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000 },
    (request, response) => {
      const path = (request.url ?? '').split('?')[0]
      if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'only GET and HEAD')
      if (path === '/healthz') return verdict(response, whyNotLive(status(), clock.now()))
      if (path === '/readyz') return verdict(response, whyNotReady(status(), clock.now()))
      if (path !== '/metrics') return answer(response, 404, 'there are /healthz, /readyz and /metrics')
      metrics.text().then(
        (text) => answer(response, 200, text, metrics.contentType),
        () => answer(response, 500, 'the metrics could not be collected'),
      )
    },
  )
  server.maxConnections = 64
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

function verdict(response: ServerResponse, why: string | undefined): void {
  answer(response, why === undefined ? 200 : 503, why ?? 'ok')
}

function answer(response: ServerResponse, code: number, text: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, { 'content-type': contentType, 'cache-control': 'no-store' })
  response.end(text.endsWith('\n') ? text : `${text}\n`)
}

function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1_000)}s`
}
