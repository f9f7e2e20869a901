import { createServer } from 'node:net'

/** Ports of loopback that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports = servers.map(
    (server) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject)
        server.once('listening', () => {
          const address = server.address()
          server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
        })
      }),
  )
  return Promise.all(ports)
}
