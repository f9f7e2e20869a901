import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request as secureRequest } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Clock } from '../clock.ts'
import type { Meter } from '../meter.ts'
import { Silence } from './errors.ts'
import type { Access } from './kubeconfig.ts'
import { Watchdog } from './silence.ts'

/** A request: its path begins with `/api`, its body is written as JSON. */
export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal
  /** Milliseconds that may pass without a byte, before the head of the answer and within its body: one minute unless told. */
  readonly timeout?: number
  /** Whether the answer may come compressed, as long lists do. */
  readonly isCompressed?: boolean
}

/** What came back; a body can be read once. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: AsyncIterable<Buffer>
}

const TIMEOUT = 60_000
/** Milliseconds of silence after which the system asks whether the other end is there: one that is gone is seen in half a minute. */
const PROBED_AFTER = 15_000

/**
 * Sends one request on a connection of its own: no pool can hold one whose other end is gone. Counts the bytes of bodies as they are on
 * the wire.
 */
export async function send(access: Access, ask: Ask, clock: Clock, meter: Meter): Promise<Answer> {
  const body = ask.body === undefined ? undefined : Buffer.from(JSON.stringify(ask.body))
  const options = optionsOf(access.server, ask, await access.options(), body?.length)
  ask.signal?.throwIfAborted()
  const timeout = ask.timeout ?? TIMEOUT
  const make = access.server.protocol === 'https:' ? secureRequest : plainRequest
  const request = make(options)
  request.setSocketKeepAlive(true, PROBED_AFTER)
  let response: IncomingMessage | undefined
  const stop = (reason: Error) => (response ?? request).destroy(reason)
  const watchdog = new Watchdog(clock, timeout, () => stop(new Silence(timeout)))
  const onAbort = () => stop(new Error('no longer wanted'))
  ask.signal?.addEventListener('abort', onAbort, { once: true })
  const end = () => {
    watchdog.end()
    ask.signal?.removeEventListener('abort', onAbort)
    request.destroy()
  }
  try {
    response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject).end(body)
    })
  } catch (error) {
    end()
    throw error
  }
  watchdog.hear()
  meter.bytes('api', 'sent', body?.length ?? 0)
  const onPart = ({ length }: Buffer) => {
    watchdog.hear()
    meter.bytes('api', 'received', length)
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: bodyOf(response, onPart, end) }
}

function optionsOf(server: URL, ask: Ask, options: RequestOptions, length: number | undefined): RequestOptions {
  const query = Object.entries(ask.query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return {
    ...options,
    method: ask.method ?? 'GET',
    hostname: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port === '' ? undefined : server.port,
    path: server.pathname.replace(/\/$/, '') + ask.path + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: {
      ...(options.headers as Record<string, string>),
      accept: 'application/json',
      'user-agent': 'nodefit-sync',
      ...(ask.isCompressed === true ? { 'accept-encoding': 'gzip' } : {}),
      ...(length === undefined
        ? {}
        : { 'content-type': ask.contentType ?? 'application/json', 'content-length': String(length) }),
    },
  }
}

async function* bodyOf(
  response: IncomingMessage,
  onPart: (part: Buffer) => void,
  end: () => void,
): AsyncGenerator<Buffer> {
  const heard = async function* (): AsyncGenerator<Buffer> {
    for await (const part of response) {
      onPart(part as Buffer)
      yield part as Buffer
    }
  }
  try {
    if (response.headers['content-encoding'] !== 'gzip') yield* heard()
    else for await (const part of pipeline(heard, createGunzip(), () => {})) yield part as Buffer
  } finally {
    end()
  }
}
