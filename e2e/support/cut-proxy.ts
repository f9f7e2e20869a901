import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A way through loopback to another port that can be cut, or fall silent with its connections open. */
export class CutProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Whether bytes go through. */
  isSilent = false
  /** Whether new connections are taken. */
  isOpen = true

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (!this.isOpen) {
        near.resetAndDestroy()
        return
      }
      const far = connect(port, '127.0.0.1')
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from)
        from.on('data', (part) => void (this.isSilent || to.write(part)))
        from.on('error', () => {})
        from.on('close', () => {
          this.#sockets.delete(from)
          if (!this.isSilent) to.destroy()
        })
      }
    })
  }

  /** Opens a way to a port of loopback. */
  static async to(port: number): Promise<CutProxy> {
    const proxy = new CutProxy(port)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Connections that stand, each counted for both of its ends. */
  get connections(): number {
    return this.#sockets.size
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}
