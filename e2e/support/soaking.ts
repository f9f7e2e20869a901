/** nodefit sync as a process on a clock that the test moves, with a server of many nodes, the heap flags that ship and a Git repository. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { BareRemote } from './bare-remote.ts'
import { firstAgents } from './first-agents.ts'
import { COMMAND, ROOT } from './hosts.ts'
import { SoakApi, soakNode } from './soak-api.ts'
import { writeSyncConfig } from './sync-config.ts'
import type { Line } from './sync-process.ts'

const PRELOAD = join(ROOT, 'e2e/support/soak-clock.cjs')
const SECOND = 1000

/** The environment that the Deployment gives the process. */
export function shippedEnvironment(): Record<string, string> {
  const { spec } = parse(readFileSync(join(ROOT, 'deploy/sync/base/deployment.yaml'), 'utf8'))
  const env: { name: string; value?: string }[] = spec.template.spec.containers[0].env
  return Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
}

export class Soaking {
  readonly api: SoakApi
  readonly remote: BareRemote
  /** What time it is for the process. */
  now = Date.parse('2026-11-20T12:00:00Z')
  readonly #child: ChildProcess
  readonly #answers = new Map<number, (answer: unknown) => void>()
  readonly #ended: Promise<number | null>
  #asked = 0
  #out = ''
  #err = ''

  private constructor(api: SoakApi, remote: BareRemote, child: ChildProcess) {
    this.api = api
    this.remote = remote
    this.#child = child
    child.stdout?.on('data', (part) => {
      this.#out += part
    })
    child.stderr?.on('data', (part) => {
      this.#err += part
    })
    child.on('message', ({ id, answer }: { id: number; answer: unknown }) => this.#answers.get(id)?.(answer))
    this.#ended = new Promise((resolve) => child.once('close', resolve))
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    this.#ended.then(() => process.off('exit', kill))
  }

  /** Starts it with so many nodes, and ends it after the body, however that ends. */
  static async with<T>(
    folder: string,
    options: { nodes: number; spec?: object; command?: string },
    body: (soaking: Soaking) => Promise<T>,
  ): Promise<T> {
    const soaking = await Soaking.#start(folder, options)
    try {
      await soaking.advance(10 * SECOND)
      return await body(soaking)
    } finally {
      await soaking.#stop()
    }
  }

  static async #start(
    folder: string,
    { nodes, spec = {}, command = COMMAND }: { nodes: number; spec?: object; command?: string },
  ): Promise<Soaking> {
    const at = (name: string) => join(folder, name)
    const api = await SoakApi.start()
    for (let number = 0; number < nodes; number++) api.put(soakNode(number))
    const remote = new BareRemote(folder)
    remote.commit(firstAgents())
    writeFileSync(at('kubeconfig'), api.kubeconfig)
    const config = {
      cluster: 'soak',
      mode: 'rendered',
      packages: ['agents'],
      output: 'clusters/soak/rendered',
      health: { address: '127.0.0.1:0' },
      leaderElection: { namespace: 'nodefit' },
      ...spec,
      // real commands against a clock that stands still while they run
      git: { url: remote.url, folder: 'clusters/soak/nodes', cache: at('cache') },
    }
    writeSyncConfig(at('sync.yaml'), config, 'soak')
    const { PATH, HOME } = process.env
    const args = ['sync', '--config', at('sync.yaml'), '--kubeconfig', at('kubeconfig')]
    const child = spawn(process.execPath, ['--expose-gc', '--require', PRELOAD, command, ...args], {
      env: { PATH, HOME, ...shippedEnvironment() },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    return new Soaking(api, remote, child)
  }

  /** Lets time pass once everything that was sent is taken. */
  async advance(milliseconds: number): Promise<void> {
    this.now += milliseconds
    await this.#ask('advance', { milliseconds, sent: this.api.sent() })
    this.api.tick(this.now)
  }

  /** Has a script of the shell run just before each push that begins. */
  race(script: string): Promise<unknown> {
    return this.#ask('race', { script })
  }

  /** Bytes after everything was collected that can be. */
  memory(): Promise<{ heapUsed: number; rss: number; external: number }> {
    return this.#ask('memory') as Promise<{ heapUsed: number; rss: number; external: number }>
  }

  /** Commands of git that it has started. */
  commands(): Promise<number> {
    return this.#ask('commands') as Promise<number>
  }

  /** When it has begun to push, in milliseconds since 1970. */
  pushes(): Promise<number[]> {
    return this.#ask('pushes') as Promise<number[]>
  }

  /** The most memory that it ever had resident, in bytes. */
  peak(): number {
    const [, kilobytes = '0'] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  }

  /** Commits of the branch but the one that the package came with. */
  commits(): number {
    return Number(this.remote.git('rev-list', '--count', 'main')) - 1
  }

  lines(): Line[] {
    return this.#out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
  }

  /** How often each message was said. */
  said(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { message } of this.lines()) counts[message] = (counts[message] ?? 0) + 1
    return counts
  }

  async #stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
    this.api.close()
  }

  #ask(what: string, more: object = {}): Promise<unknown> {
    const id = ++this.#asked
    const answer = new Promise((resolve) => this.#answers.set(id, resolve))
    this.#child.send({ id, what, ...more })
    const ended = this.#ended.then((code) => {
      throw new Error(`it ended with ${code}: ${this.#err.slice(-2000)}${this.#out.slice(-2000)}`)
    })
    return Promise.race([answer, ended])
  }
}
