import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { GitFailure } from './failure.ts'

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
