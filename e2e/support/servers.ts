import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const READY_MILLISECONDS = 120_000
const GRACE_MILLISECONDS = 3000
const TAIL = 3000

/** A server that a test has started. */
export interface Server {
  readonly name: string
  readonly pid: number
  /** What it has written. */
  readonly log: () => string
  readonly isRunning: () => boolean
  /** Ends it: asks first, unless it is to be killed at once. */
  readonly stop: (how?: 'killed') => Promise<void>
}

/** Servers that write their logs into one folder; those that still run when the test ends are killed, each by its process id. */
export class Servers {
  readonly #folder: string
  readonly #children = new Set<ChildProcess>()

  constructor(folder: string) {
    this.#folder = folder
    process.once('exit', () => {
      for (const child of this.#children) child.kill('SIGKILL')
    })
  }

  /** Starts a program and waits until it is ready; `env` is all the environment it has. */
  async start(
    name: string,
    command: readonly string[],
    {
      env,
      cwd = this.#folder,
      isReady,
    }: { env: NodeJS.ProcessEnv; cwd?: string; isReady: () => boolean | Promise<boolean> },
  ): Promise<Server> {
    const file = join(this.#folder, `${name}.log`)
    const log = openSync(file, 'w')
    const [program = '', ...args] = command
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', log, log] })
    child.on('error', () => undefined)
    this.#children.add(child)
    const server = {
      name,
      pid: child.pid ?? 0,
      log: () => readFileSync(file, 'utf8'),
      isRunning: () => child.exitCode === null && child.signalCode === null,
      stop: (how?: 'killed') => this.#end(child, how),
    }
    for (const until = Date.now() + READY_MILLISECONDS; Date.now() < until; await pause(50)) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} ended: ${server.log().slice(-TAIL)}`)
      if (await isReady()) return server
    }
    throw new Error(`${name} did not start: ${server.log().slice(-TAIL)}`)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.#end(child)))
  }

  async #end(child: ChildProcess, how?: 'killed'): Promise<void> {
    this.#children.delete(child)
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(how === 'killed' ? 'SIGKILL' : 'SIGTERM')
    // Argo CD's plugin server takes its socket away and stays
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MILLISECONDS)
    await ended
    clearTimeout(timer)
  }
}

/** Whether a server answers a GET of an address with 200. */
export async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 200
  } catch {
    return false
  }
}
