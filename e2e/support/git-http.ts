import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { BareRemote } from './bare-remote.ts'

/** What goes wrong with a request: an answer of its own, a connection that is cut before or after the work is done, or no answer. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'cut-before'
  | 'cut-within'
  | 'cut-after'
  | 'hang'

/** A request that git has made. */
export interface GitRequest {
  readonly service: 'upload-pack' | 'receive-pack'
  readonly step: 'refs' | 'objects'
  readonly authorization: string | undefined
}

export interface GitHttp {
  readonly url: string
  readonly port: number
  /** All requests so far. */
  readonly requests: readonly GitRequest[]
  /** Decides what goes wrong with each; undefined lets it pass. */
  fault: (request: GitRequest) => Fault | undefined
  /** Decides who is let in. */
  isAllowed: (authorization: string | undefined) => boolean
  /** Kilobytes that a file of the server can have at most. */
  limit: number | undefined
  stop(): Promise<void>
}

/** `git http-backend` on loopback, serving the folder that a bare repository is in. https://git-scm.com/docs/git-http-backend */
export async function serveGit(remote: BareRemote, tls?: ServerOptions): Promise<GitHttp> {
  const requests: GitRequest[] = []
  const http: GitHttp = {
    url: '',
    port: 0,
    requests,
    fault: () => undefined,
    isAllowed: () => true,
    limit: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const asked = requestOf(request)
    requests.push(asked)
    if (!http.isAllowed(asked.authorization)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('who is it?')
      return
    }
    const fault = http.fault(asked)
    if (fault === 'hang') return
    if (fault === 'cut-before') return void request.socket.destroy()
    if (typeof fault === 'object') return void response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
    backend(remote, request, response, fault, http.limit)
  }
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // a test that fails does not stop it, and the process has to end
  server.unref()
  const { port } = server.address() as AddressInfo
  return Object.assign(http, {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/${remote.name}`,
  })
}

function requestOf({ url = '', headers }: IncomingMessage): GitRequest {
  return {
    service: url.includes('receive-pack') ? 'receive-pack' : 'upload-pack',
    step: url.includes('/info/refs') ? 'refs' : 'objects',
    authorization: headers.authorization,
  }
}

function backend(
  remote: BareRemote,
  request: IncomingMessage,
  response: ServerResponse,
  fault: 'cut-within' | 'cut-after' | undefined,
  limit: number | undefined,
): void {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const { headers } = request
  // the shell counts in halves of a kilobyte, and what ignores the signal is told by an error
  const limited = limit === undefined ? '' : `trap '' XFSZ; ulimit -f ${limit * 2}; `
  // not `git http-backend`: a signal might end git alone, and its child would read the end of the request for ever
  const child = spawn('sh', ['-c', `${limited}exec "$(git --exec-path)/git-http-backend"`], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: remote.root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
      ...(headers['content-encoding'] === undefined ? {} : { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
      ...(headers['git-protocol'] === undefined ? {} : { GIT_PROTOCOL: String(headers['git-protocol']) }),
      REMOTE_USER: 'somebody',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => undefined)
  if (fault === 'cut-within') {
    // what has come so far reaches the server's git, and then the connection is gone for both
    child.stdout.resume()
    // it may wait for the rest for ever
    request.once('close', () => child.kill('SIGKILL'))
    if (request.method === 'GET') return void request.socket.destroy()
    request.once('data', (chunk: Buffer) => {
      child.stdin.end(chunk.subarray(0, Math.floor(chunk.length / 2)))
      request.socket.destroy()
    })
    return
  }
  request.pipe(child.stdin)
  const answer: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => answer.push(chunk))
  child.once('close', () => {
    if (fault === 'cut-after') return void request.socket.destroy()
    const all = Buffer.concat(answer)
    const end = all.indexOf('\r\n\r\n')
    let status = 200
    for (const line of all.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(/:\s*/, 2)
      if (name.toLowerCase() === 'status') status = Number(value.slice(0, 3))
      else response.setHeader(name, value)
    }
    response.writeHead(status).end(all.subarray(end + 4))
  })
}
