import { spawn } from 'node:child_process'
import type { Clock } from '../../cluster/clock.ts'
import { GitFailure } from './failure.ts'
import type { RepositoryOptions } from './repository.ts'

/** The least time of a command in milliseconds, so that one after a slow one can still report its result. */
const MIN_TIMEOUT = 5000

export interface GitOptions extends Pick<RepositoryOptions, 'timeout'> {
  readonly context: Pick<RepositoryOptions['context'], 'clock' | 'secrets'>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly signal?: AbortSignal
}

interface CommandOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the git program for one operation. */
export class Git {
  readonly #options: GitOptions
  readonly #deadline: number

  /** The timeout begins now, for all commands together. */
  constructor(options: GitOptions) {
    this.#options = options
    this.#deadline = options.context.clock.now() + options.timeout
  }

  /** Runs a command. Rejects with `GitFailure` where it does not exit with 0. */
  async run(args: readonly string[], { input, env = {} }: CommandOptions = {}): Promise<ProcessResult> {
    const { context, timeout, cwd, signal } = this.#options
    const { clock, secrets } = context
    const left = Math.max(this.#deadline - clock.now(), Math.min(timeout, MIN_TIMEOUT))
    const result = await runProcess('git', args, {
      env: { ...this.#options.env, ...env },
      cwd,
      clock,
      timeout: left,
      input,
      signal,
    })
    if (result.status === 0 && result.ended === undefined) return result
    const command = `git ${args[0]}`
    if (result.ended === 'timeout')
      throw new GitFailure('timeout', `${command} takes longer than git.timeout, ${timeout / 1000} s`)
    if (result.ended === 'stopped') throw new GitFailure('stopped', `${command} was stopped`)
    if (result.ended === 'missing') throw new GitFailure('configuration', `cannot run git: ${result.stderr}`)
    const output = secrets.scrub(readableOutput(`${result.stderr}\n${result.stdout.subarray(0, MAX_STDERR)}`))
    throw GitFailure.of(output === '' ? `${command} exits with ${result.status}` : output)
  }

  /** The first line of a command's stdout. */
  async line(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.toString().trim().split('\n')[0] ?? ''
  }
}

/** The end of stderr that is kept, in characters: a server can send any amount. */
const MAX_STDERR = 64 * 1024
/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_PERIOD = 2000

export interface ProcessResult {
  readonly status: number
  readonly stdout: Buffer
  readonly stderr: string
  /** Why the process was ended or not started. */
  readonly ended?: 'timeout' | 'stopped' | 'missing'
}

interface ProcessOptions {
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly clock: Clock
  readonly timeout: number
  readonly input?: string | Buffer
  readonly signal?: AbortSignal
}

/** Runs a program without a shell. After the timeout or an abort it is ended with all its children. */
async function runProcess(program: string, args: readonly string[], options: ProcessOptions): Promise<ProcessResult> {
  const { env, cwd, clock, timeout, input = '', signal } = options
  if (signal?.aborted) return { status: -1, stdout: Buffer.alloc(0), stderr: '', ended: 'stopped' }
  // a process group of its own, since git starts ssh and helpers
  const child = spawn(program, args, { env, cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = new AbortController()
  let ended: ProcessResult['ended']
  const end = (why: 'timeout' | 'stopped'): void => {
    if (ended !== undefined) return
    ended = why
    killGroup(child.pid, 'SIGTERM')
    void clock.sleep(GRACE_PERIOD, exited.signal).then(() => {
      if (!exited.signal.aborted) killGroup(child.pid, 'SIGKILL')
    })
  }
  void clock.sleep(timeout, exited.signal).then(() => {
    if (!exited.signal.aborted) end('timeout')
  })
  const onAbort = (): void => end('stopped')
  signal?.addEventListener('abort', onAbort, { once: true })

  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-MAX_STDERR)
  })
  // a program that exits before it has read its input reports why
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const status = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      ended = 'missing'
      stderr += error.message
      resolve(-1)
    })
    child.once('close', (code) => resolve(code ?? -1))
  })
  exited.abort()
  signal?.removeEventListener('abort', onAbort)
  return { status, stdout: Buffer.concat(stdout), stderr, ...(ended === undefined ? {} : { ended }) }
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // it has exited
  }
}

const MAX_OUTPUT = 2000
const PROGRESS =
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Writing|Receiving|Unpacking|Resolving|Updating|Total|Delta)\b.*(?:\d+%|\d+ \(delta|objects: \d+)/

/** The output of a program without progress lines and control characters. */
export function readableOutput(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/(?!\t)\p{Cc}(?:\[[0-9;?]*[A-Za-z])?/gu, '').trimEnd())
    .filter((line) => line !== '' && line !== 'remote:' && !PROGRESS.test(line))
  const output = lines.join('\n')
  return output.length <= MAX_OUTPUT ? output : `${output.slice(0, MAX_OUTPUT)} …`
}

const UNITS: Readonly<Record<string, number>> = { bytes: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** The bytes of objects that git's progress says were sent or received, to its precision. */
export function transferredBytes(text: string): number {
  const sizes = text.matchAll(
    /(?:Writing|Receiving|Unpacking) objects: 100%[^\r\n]*?, ([\d.]+) (bytes|KiB|MiB|GiB)[^\r\n]*done/g,
  )
  return [...sizes].reduce((sum, [, size, unit]) => sum + Number(size) * (UNITS[unit ?? ''] ?? 0), 0)
}
