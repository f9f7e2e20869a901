import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { Clock } from '../clock.ts'
import type { Meter } from '../meter.ts'
import type { Secrets } from '../secrets.ts'
import { GitFailure } from './failure.ts'
import { proxyFor, tunnel } from './proxy.ts'

const MOST_BYTES = 8 * 1024 * 1024

export interface HttpOptions {
  readonly clock: Clock
  readonly meter: Meter
  readonly secrets: Secrets
  readonly timeout: number
  readonly signal?: AbortSignal
  /** A certificate of an authority that is believed besides the system's. */
  readonly authority?: string
  /** The proxy that the Secret names; without it, that of the environment is taken. Only https goes through one. */
  readonly proxy?: string
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Posts JSON and reads JSON. Throws `GitFailure` for no answer, one that is not good, or one that is no JSON. Nobody is followed elsewhere. */
export async function postJson(
  url: string,
  authorization: string,
  body: unknown,
  options: HttpOptions,
): Promise<unknown> {
  const { clock, timeout, signal, secrets } = options
  const over = new AbortController()
  const cut = new AbortController()
  let isLate = false
  void clock.sleep(timeout, over.signal).then(() => {
    isLate = !over.signal.aborted
    if (isLate) cut.abort()
  })
  const stop = () => cut.abort()
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    const { protocol, hostname, port } = new URL(url)
    const host = { scheme: protocol.slice(0, -1), host: hostname }
    const proxy = protocol === 'https:' ? proxyFor(host, options.proxy, process.env) : undefined
    const socket = proxy === undefined ? undefined : await tunnel(proxy, `${hostname}:${port || 443}`, cut.signal)
    const answer = await exchange(url, authorization, JSON.stringify(body), cut.signal, { ...options, socket })
    if (answer.status < 200 || answer.status > 299) throw refusal(answer, secrets, clock)
    return JSON.parse(answer.text)
  } catch (error) {
    if (error instanceof GitFailure) throw error
    if (signal?.aborted) throw new GitFailure('stopped', 'the request was stopped')
    if (isLate) throw new GitFailure('timeout', `${new URL(url).host} has not answered for ${timeout / 1000} s`)
    if (error instanceof SyntaxError)
      throw new GitFailure('server-error', `${new URL(url).host} has answered with what is no JSON`)
    const { code = '', message } = error as NodeJS.ErrnoException
    throw GitFailure.of(secrets.scrub(`${new URL(url).host}: ${message} ${code}`.trim()))
  } finally {
    over.abort()
    signal?.removeEventListener('abort', stop)
  }
}

/** What is believed with an authority of one's own: those that Node.js comes with count no longer once others are named. */
export const authoritiesWith = (authority: string): string[] => [...rootCertificates, authority]

function exchange(
  url: string,
  authorization: string,
  body: string,
  signal: AbortSignal,
  { meter, authority, socket }: HttpOptions & { readonly socket: Socket | undefined },
): Promise<Answer> {
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
    const make = url.startsWith('https:') ? httpsRequest : httpRequest
    const request = make(
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
          if (size > MOST_BYTES) request.destroy(new Error('the answer is too long'))
          else chunks.push(chunk)
        })
        response.once('error', reject)
        response.once('end', () => {
          meter.bytes('git', 'sent', bytes.length)
          meter.bytes('git', 'received', size)
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
function refusal({ status, headers, text }: Answer, secrets: Secrets, clock: Clock): GitFailure {
  const failure = GitFailure.of(secrets.scrub(`HTTP ${status} ${messageIn(text)}`.trim()))
  const after = Number(headers['retry-after'])
  const reset = Number(headers['x-ratelimit-reset']) * 1000 - clock.now()
  const isSpent = headers['x-ratelimit-remaining'] === '0'
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return withPause(failure, after * 1000)
  return isSpent && Number.isFinite(reset) ? withPause(failure, Math.max(reset, 0), 'rate-limited') : failure
}

const withPause = ({ reason, message }: GitFailure, pause: number, instead = reason): GitFailure =>
  new GitFailure(instead, message, pause)

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text)
    if (typeof message === 'string') return message
  } catch {
    // a proxy's page
  }
  return text.slice(0, 200)
}
