import { spawn } from 'node:child_process'
import type { Clock } from '../clock.ts'

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
