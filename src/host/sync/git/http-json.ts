import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { EngineContext } from '../context.ts'
import { GitFailure } from './failure.ts'

const MAX_BYTES = 8 * 1024 * 1024

export interface HttpOptions {
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'secrets'>
  readonly timeout: number
  readonly signal?: AbortSignal
  /** The certificate of an authority that is trusted besides the default ones. */
  readonly authority?: string
  /** The proxy of the Secret. Default: that of the environment. Used for https only. */
  readonly proxy?: string
}

interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/**
 * Posts JSON, and parses the JSON response. Does not follow redirects. Rejects with `GitFailure` for a status other
 * than 2xx and for no JSON.
 */
export async function postJson(
  url: string,
  authorization: string,
  body: unknown,
  options: HttpOptions,
): Promise<unknown> {
  const { context, timeout, signal } = options
  const { clock, secrets } = context
  const finished = new AbortController()
  const abort = new AbortController()
  let isTimeout = false
  void clock.sleep(timeout, finished.signal).then(() => {
    isTimeout = !finished.signal.aborted
    if (isTimeout) abort.abort()
  })
  const stop = () => abort.abort()
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    const { protocol, hostname, port } = new URL(url)
    const host = { scheme: protocol.slice(0, -1), host: hostname }
    const proxy = protocol === 'https:' ? proxyFor(host, options.proxy, process.env) : undefined
    const socket = proxy === undefined ? undefined : await openTunnel(proxy, `${hostname}:${port || 443}`, abort.signal)
    const response = await post(url, authorization, JSON.stringify(body), abort.signal, { ...options, socket })
    if (response.status < 200 || response.status > 299) throw failureOf(response, context)
    return JSON.parse(response.text)
  } catch (error) {
    if (error instanceof GitFailure) throw error
    if (signal?.aborted) throw new GitFailure('stopped', 'the request was stopped')
    if (isTimeout) throw new GitFailure('timeout', `${new URL(url).host} does not respond within ${timeout / 1000} s`)
    if (error instanceof SyntaxError)
      throw new GitFailure('server-error', `the response of ${new URL(url).host} is not JSON`)
    const { code = '', message } = error as NodeJS.ErrnoException
    throw GitFailure.of(secrets.scrub(`${new URL(url).host}: ${message} ${code}`.trim()))
  } finally {
    finished.abort()
    signal?.removeEventListener('abort', stop)
  }
}

/** The trusted authorities with one more. Node.js drops its default ones where others are given. */
export const authoritiesWith = (authority: string): string[] => [...rootCertificates, authority]

function post(
  url: string,
  authorization: string,
  body: string,
  signal: AbortSignal,
  { context, authority, socket }: HttpOptions & { readonly socket: Socket | undefined },
): Promise<HttpResponse> {
  const bytes = Buffer.from(body)
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization,
      'content-type': 'application/json',
      'content-length': bytes.length,
      'user-agent': 'nodefit',
      'x-github-api-version': '2022-11-28',
    }
    const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(
      url,
      {
        method: 'POST',
        headers,
        signal,
        agent: false,
        ...(socket === undefined ? {} : { socket }),
        ...(authority === undefined ? {} : { ca: authoritiesWith(authority) }),
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_BYTES) request.destroy(new Error(`the response is longer than ${MAX_BYTES} bytes`))
          else chunks.push(chunk)
        })
        response.once('error', reject)
        response.once('end', () => {
          context.meter.bytes('git', 'sent', bytes.length)
          context.meter.bytes('git', 'received', size)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          })
        })
      },
    )
    request.once('error', reject)
    request.end(bytes)
  })
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function failureOf({ status, headers, text }: HttpResponse, { clock, secrets }: HttpOptions['context']): GitFailure {
  const { reason, message } = GitFailure.of(secrets.scrub(`HTTP ${status} ${messageIn(text)}`.trim()))
  const after = Number(headers['retry-after'])
  if (headers['retry-after'] !== undefined && Number.isFinite(after))
    return new GitFailure(reason, message, after * 1000)
  const untilReset = Number(headers['x-ratelimit-reset']) * 1000 - clock.now()
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(untilReset))
    return new GitFailure('rate-limited', message, Math.max(untilReset, 0))
  return new GitFailure(reason, message)
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text)
    if (typeof message === 'string') return message
  } catch {
    // the page of a proxy
  }
  return text.slice(0, 200)
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The proxy for a host: that of the Secret (`given`), else that of the environment, by the variables that curl and git
 * read. Undefined where there is none, or NO_PROXY has the host or a domain of it.
 * https://curl.se/libcurl/c/CURLOPT_NOPROXY.html
 */
export function proxyFor(
  { scheme, host }: { readonly scheme: string; readonly host: string },
  given: string | undefined,
  environment: Environment,
): string | undefined {
  const firstSet = (names: readonly string[]) => names.map((name) => environment[name]).find((value) => value)
  const variables = scheme === 'https' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy']
  const excluded = (environment.NO_PROXY ?? environment.no_proxy ?? '').split(/[\s,]+/).filter((name) => name !== '')
  const isExcluded = excluded.some(
    (name) => name === '*' || `.${host}`.endsWith(`.${name.replace(/^\*?\./, '')}`.toLowerCase()),
  )
  return isExcluded ? undefined : (given ?? firstSet([...variables, 'all_proxy', 'ALL_PROXY']))
}

/** Opens a tunnel through a proxy with CONNECT (RFC 9110, 9.3.6). Rejects with `GitFailure` where the proxy refuses. */
export function openTunnel(proxy: string, hostPort: string, signal: AbortSignal): Promise<Socket> {
  const url = /^\w+:\/\//.test(proxy) ? proxy : `http://${proxy}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new GitFailure('configuration', 'the GitHub API needs an http or https proxy: correct proxy of the Secret')
  const { protocol, hostname, port, username, password } = new URL(url)
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const options: RequestOptions = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : port,
    method: 'CONNECT',
    path: hostPort,
    headers: { host: hostPort, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${login}` }) },
    agent: false,
    signal,
  }
  return new Promise((resolve, reject) => {
    const refuse = (status: number | undefined) => reject(GitFailure.of(`the proxy responds with HTTP ${status}`))
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)(options)
    request.once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      refuse(statusCode)
    })
    request.once('response', (response) => {
      response.resume()
      refuse(response.statusCode)
    })
    request.once('error', reject)
    request.end()
  })
}
