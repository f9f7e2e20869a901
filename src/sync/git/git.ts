import { spawn } from 'node:child_process'
import type { Clock } from '../clock.ts'
import { GitFailure } from './failure.ts'
import type { RepositoryOptions } from './repository.ts'

/** What a command has at least, so that one that follows a slow one can say how things are. */
const LEAST_MILLISECONDS = 5000

export interface GitOptions extends Pick<RepositoryOptions, 'clock' | 'timeout' | 'secrets'> {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly signal?: AbortSignal
}

/** The git program with what it runs with. */
export class Git {
  readonly #options: GitOptions
  readonly #deadline: number

  /** The time begins now, for all that it is asked to run. */
  constructor(options: GitOptions) {
    this.#options = options
    this.#deadline = options.clock.now() + options.timeout
  }

  /** Runs a command. Throws `GitFailure` for any end but a good one. */
  async run(
    args: readonly string[],
    { input, env = {} }: { input?: string | Buffer; env?: Readonly<Record<string, string>> } = {},
  ): Promise<Ended> {
    const { clock, timeout, cwd, signal, secrets } = this.#options
    const left = Math.max(this.#deadline - clock.now(), Math.min(timeout, LEAST_MILLISECONDS))
    const ended = await run('git', args, {
      env: { ...this.#options.env, ...env },
      cwd,
      clock,
      timeout: left,
      input,
      signal,
    })
    if (ended.status === 0 && ended.cut === undefined) return ended
    const what = `git ${args[0]}`
    if (ended.cut === 'timeout') throw new GitFailure('timeout', `${what} was not done within ${timeout / 1000} s`)
    if (ended.cut === 'stopped') throw new GitFailure('stopped', `${what} was stopped`)
    if (ended.cut === 'missing') throw new GitFailure('configuration', `git cannot be run: ${ended.stderr}`)
    const said = secrets.scrub(saidOf(`${ended.stderr}\n${ended.stdout.subarray(0, 64 * 1024)}`))
    throw GitFailure.of(said === '' ? `${what} ended with ${ended.status}` : said)
  }

  /** The first line that a command writes. */
  async line(
    args: readonly string[],
    options: { input?: string | Buffer; env?: Readonly<Record<string, string>> } = {},
  ): Promise<string> {
    return (await this.run(args, options)).stdout.toString().trim().split('\n')[0] ?? ''
  }
}

/** Standard error is kept to its end; a server can say without limit. */
const MOST_SAID = 64 * 1024
const GRACE_MILLISECONDS = 2000

/** How a program ended. */
export interface Ended {
  readonly status: number
  readonly stdout: Buffer
  readonly stderr: string
  /** Why it was ended from here, if it was. */
  readonly cut?: 'timeout' | 'stopped' | 'missing'
}

export interface RunOptions {
  /** All the environment that it has. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly clock: Clock
  readonly timeout: number
  readonly input?: string | Buffer
  readonly signal?: AbortSignal
}

/** Runs a program with an argument array and without a shell; when the time is over or the signal comes, it is ended with all that it has started. */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { env, cwd, clock, timeout, input = '', signal } = options
  if (signal?.aborted) return { status: -1, stdout: Buffer.alloc(0), stderr: '', cut: 'stopped' }
  // a group of its own, since git starts ssh and helpers of its own
  const child = spawn(program, args, { env, cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const over = new AbortController()
  let cut: Ended['cut']
  const end = (why: 'timeout' | 'stopped'): void => {
    if (cut !== undefined) return
    cut = why
    killGroup(child.pid, 'SIGTERM')
    void clock.sleep(GRACE_MILLISECONDS, over.signal).then(() => {
      if (!over.signal.aborted) killGroup(child.pid, 'SIGKILL')
    })
  }
  void clock.sleep(timeout, over.signal).then(() => {
    if (!over.signal.aborted) end('timeout')
  })
  const stopped = (): void => end('stopped')
  signal?.addEventListener('abort', stopped, { once: true })

  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-MOST_SAID)
  })
  // a program that ends before it has read all has said why
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const status = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      cut = 'missing'
      stderr += error.message
      resolve(-1)
    })
    child.once('close', (code) => resolve(code ?? -1))
  })
  over.abort()
  signal?.removeEventListener('abort', stopped)
  return { status, stdout: Buffer.concat(stdout), stderr, ...(cut === undefined ? {} : { cut }) }
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // it has ended
  }
}

const LONGEST = 2000
const PROGRESS =
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Writing|Receiving|Unpacking|Resolving|Updating|Total|Delta)\b.*(?:\d+%|\d+ \(delta|objects: \d+)/
const UNITS: Readonly<Record<string, number>> = { bytes: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** What a program has said to people, without progress and without characters that would steer a terminal. */
export function saidOf(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/(?!\t)\p{Cc}(?:\[[0-9;?]*[A-Za-z])?/gu, '').trimEnd())
    .filter((line) => line !== '' && line !== 'remote:' && !PROGRESS.test(line))
  const said = lines.join('\n')
  return said.length <= LONGEST ? said : `${said.slice(0, LONGEST)} …`
}

/** Bytes of objects that git's progress says it has sent or received, to the precision it says them in. */
export function bytesSaid(text: string): number {
  const sizes = text.matchAll(
    /(?:Writing|Receiving|Unpacking) objects: 100%[^\r\n]*?, ([\d.]+) (bytes|KiB|MiB|GiB)[^\r\n]*done/g,
  )
  return [...sizes].reduce((sum, [, size, unit]) => sum + Number(size) * (UNITS[unit ?? ''] ?? 0), 0)
}
