import { GitFailure } from './failure.ts'
import { type Ended, run } from './run.ts'
import { saidOf } from './said.ts'
import type { RepositoryOptions } from './types.ts'

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
