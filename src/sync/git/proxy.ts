import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { GitFailure } from './failure.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The proxy on the way to an address: that of the Secret, or of the environment by the names that curl and so git know; undefined where there is
 * none, or `NO_PROXY` has the host or a domain that it is in. https://curl.se/libcurl/c/CURLOPT_NOPROXY.html
 */
export function proxyFor(
  { scheme, host }: { readonly scheme: string; readonly host: string },
  given: string | undefined,
  environment: Environment,
): string | undefined {
  const first = (names: readonly string[]) => names.map((name) => environment[name]).find((value) => value)
  const names = scheme === 'https' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy']
  const none = (environment.NO_PROXY ?? environment.no_proxy ?? '').split(/[\s,]+/).filter((name) => name !== '')
  const isNear = none.some(
    (name) => name === '*' || `.${host}`.endsWith(`.${name.replace(/^\*?\./, '')}`.toLowerCase()),
  )
  return isNear ? undefined : (given ?? first([...names, 'all_proxy', 'ALL_PROXY']))
}

/** Asks a proxy for a connection to a host and port, as in RFC 9110, 9.3.6. Throws `GitFailure` for a proxy that has none. */
export function tunnel(proxy: string, hostPort: string, signal: AbortSignal): Promise<Socket> {
  const url = /^\w+:\/\//.test(proxy) ? proxy : `http://${proxy}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new GitFailure('configuration', "GitHub's interface can be reached through http and https proxies only")
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
    const refuse = (status: number | undefined) => reject(GitFailure.of(`the proxy has answered with HTTP ${status}`))
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
