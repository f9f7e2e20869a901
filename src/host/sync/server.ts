import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A server of one address. */
export interface RunningServer {
  readonly port: number
  close(): Promise<void>
}

export interface ServerOptions {
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
