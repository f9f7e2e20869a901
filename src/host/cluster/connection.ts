import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request as secureRequest } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Clock, Watchdog } from './clock.ts'
import { apiErrorOf, IdleTimeoutError, MalformedResponseError } from './errors.ts'
import { type Access, accessTo, type ConnectOptions } from './kubeconfig.ts'

/** A request: its path begins with `/api`, its body is sent as JSON. */
export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal
  /**
   * Milliseconds without a byte after which the request fails, before the header and within the body. Default: 60,000.
   */
  readonly timeout?: number
  /** Whether the response may be compressed, which is worth it for long lists. */
  readonly isCompressed?: boolean
}

/** A response; its body can be read once. */
export interface Response {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: AsyncIterable<Buffer>
}

/** A connection to one API server. */
export interface Connection {
  /** The namespace of the controller's own objects: the pod's, or that of the kubeconfig's context. */
  readonly namespace: string | undefined
  /** The context of the kubeconfig that it is of; undefined within a pod. */
  readonly context?: string
  /**
   * Sends one request. Resolves with any status as soon as the header is received; read the body to its end, or leave
   * the loop over it. Rejects where no response comes, with `IdleTimeoutError` after `timeout` milliseconds without a
   * byte.
   */
  request(request: Request): Promise<Response>
  /**
   * Sends one request and parses the JSON response. Rejects with `ApiError` for a status other than 2xx, with
   * `MalformedResponseError` for no JSON.
   */
  json<T>(request: Request): Promise<T>
}

/** What a connection needs besides its server: the time, and who counts the bytes of bodies. */
export interface ConnectContext {
  readonly clock: Clock
  readonly meter: { bytes(peer: 'api', direction: 'sent' | 'received', count: number): void }
  /** Who asks, as audit logs and managed fields name it. Default: `nodefit-sync`. */
  readonly userAgent?: string
}

/**
 * Connects to the API server of a kubeconfig file, or of the pod. Certificates and tokens are read from their files
 * again and again, and at once after a 401. Throws an error with a sentence where no API server is configured.
 */
export function connect(options: ConnectOptions, context: ConnectContext): Connection {
  const access = accessTo(options)
  const send = async (request: Request): Promise<Response> => {
    const response = await sendOnce(access, request, context)
    if (response.status !== 401) return response
    // the token may have been rotated since it was read
    for await (const _ of response.body);
    access.renew()
    return sendOnce(access, request, context)
  }
  const { namespace, context: name } = access
  return { namespace, ...(name && { context: name }), request: send, json: (request) => jsonResponse(send, request) }
}

async function jsonResponse<T>(send: Connection['request'], request: Request): Promise<T> {
  const response = await send({ isCompressed: true, ...request })
  const text = await bodyText(response)
  const { status, headers } = response
  if (status < 200 || status > 299) throw apiErrorOf(status, text, headers['retry-after'])
  try {
    return JSON.parse(text) as T
  } catch {
    throw new MalformedResponseError(`the response to ${request.path} is not JSON: ${text.slice(0, 80).trim()}`)
  }
}

/** The whole body of a response as text. */
export async function bodyText({ body }: Response): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

const DEFAULT_TIMEOUT = 60_000
/**
 * Milliseconds without a byte after which TCP keep-alive probes the peer: a peer that is gone is noticed within 30
 * seconds.
 */
const KEEP_ALIVE = 15_000

/**
 * Sends one request on a connection of its own: a pool could hand out one whose peer is gone. Counts the bytes of
 * bodies on the wire.
 */
async function sendOnce(
  access: Access,
  request: Request,
  { clock, meter, userAgent = 'nodefit-sync' }: ConnectContext,
): Promise<Response> {
  const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
  const options = requestOptions(access.server, request, { ...(await access.options()), userAgent }, body?.length)
  request.signal?.throwIfAborted()
  const { timeout = DEFAULT_TIMEOUT } = request
  const outgoing = (access.server.protocol === 'https:' ? secureRequest : plainRequest)(options)
  outgoing.setSocketKeepAlive(true, KEEP_ALIVE)
  let incoming: IncomingMessage | undefined
  const destroy = (reason: Error) => (incoming ?? outgoing).destroy(reason)
  const watchdog = new Watchdog(clock, timeout, () => destroy(new IdleTimeoutError(timeout)))
  const onAbort = () => destroy(new Error('the request is aborted'))
  request.signal?.addEventListener('abort', onAbort, { once: true })
  const end = () => {
    watchdog.stop()
    request.signal?.removeEventListener('abort', onAbort)
    outgoing.destroy()
  }
  try {
    incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).on('error', reject).end(body)
    })
  } catch (error) {
    end()
    throw error
  }
  watchdog.reset()
  meter.bytes('api', 'sent', body?.length ?? 0)
  const onPart = ({ length }: Buffer) => {
    watchdog.reset()
    meter.bytes('api', 'received', length)
  }
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: bodyParts(incoming, onPart, end) }
}

function requestOptions(
  server: URL,
  request: Request,
  { userAgent, ...options }: RequestOptions & { readonly userAgent: string },
  length: number | undefined,
): RequestOptions {
  const query = Object.entries(request.query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return {
    ...options,
    method: request.method ?? 'GET',
    hostname: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port === '' ? undefined : server.port,
    path: server.pathname.replace(/\/$/, '') + request.path + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: {
      ...(options.headers as Record<string, string>),
      accept: 'application/json',
      'user-agent': userAgent,
      ...(request.isCompressed === true ? { 'accept-encoding': 'gzip' } : {}),
      ...(length === undefined
        ? {}
        : { 'content-type': request.contentType ?? 'application/json', 'content-length': String(length) }),
    },
  }
}

async function* bodyParts(
  incoming: IncomingMessage,
  onPart: (part: Buffer) => void,
  end: () => void,
): AsyncGenerator<Buffer> {
  const received = async function* (): AsyncGenerator<Buffer> {
    for await (const part of incoming) {
      onPart(part as Buffer)
      yield part as Buffer
    }
  }
  try {
    if (incoming.headers['content-encoding'] !== 'gzip') yield* received()
    else for await (const part of pipeline(received, createGunzip(), () => {})) yield part as Buffer
  } finally {
    end()
  }
}
