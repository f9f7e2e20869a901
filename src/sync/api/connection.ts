import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request as secureRequest } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Clock, systemClock, Watchdog } from '../clock.ts'
import { type Meter, silentMeter } from '../meter.ts'
import { errorOf, Silence, Unreadable } from './errors.ts'
import { type Access, accessOf } from './kubeconfig.ts'

/** The way to one API server. */
export interface Connection {
  /** The namespace that the connection's own objects stand in: the pod's, or that of the context. */
  readonly namespace: string | undefined
  /**
   * One request. Whatever the status, the answer is given as soon as its head is there; its body must be read to its end or left by
   * breaking out of the loop. Rejects where there is no answer, and with `Silence` where nothing was heard for `timeout` milliseconds.
   */
  request(ask: Ask): Promise<Answer>
  /** One request whose answer is JSON; rejects with `ApiError` for every status but 2xx, with `Unreadable` for what is no JSON. */
  json<T>(ask: Ask): Promise<T>
}

/**
 * A connection to the API server of the pod that this runs in, or of a kubeconfig file. Certificates and tokens are read from their
 * files again and again, and at once where the server knows a token no longer. Throws a sentence where there is no server to be found.
 */
export function connect({
  kubeconfig,
  context,
  clock = systemClock,
  meter = silentMeter,
}: {
  kubeconfig?: string
  context?: string
  clock?: Clock
  meter?: Meter
} = {}): Connection {
  const access = accessOf({ kubeconfig, context })
  const request = async (ask: Ask): Promise<Answer> => {
    const answer = await send(access, ask, clock, meter)
    if (answer.status !== 401) return answer
    // the token may have been replaced since it was read
    for await (const _ of answer.body);
    access.renew()
    return send(access, ask, clock, meter)
  }
  return { namespace: access.namespace, request, json: (ask) => jsonOf(request, ask) }
}

async function jsonOf<T>(request: Connection['request'], ask: Ask): Promise<T> {
  const answer = await request({ isCompressed: true, ...ask })
  const text = await textOf(answer)
  const { status, headers } = answer
  if (status < 200 || status > 299) throw errorOf(status, text, headers['retry-after'])
  try {
    return JSON.parse(text) as T
  } catch {
    throw new Unreadable(`the answer to ${ask.path} is no JSON: ${text.slice(0, 80).trim()}`)
  }
}

/** The whole body as text. */
export async function textOf({ body }: Answer): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

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
