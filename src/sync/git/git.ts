import { GitFailure } from './failure.ts'
import { type Ended, run } from './run.ts'
import { saidOf } from './said.ts'
import type { RepositoryOptions } from './types.ts'

export interface GitOptions extends Pick<RepositoryOptions, 'clock' | 'timeout' | 'secrets'> {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly signal?: AbortSignal
}

/** The git program with what it runs with. */
export class Git {
  readonly #options: GitOptions

  constructor(options: GitOptions) {
    this.#options = options
  }

  /** Runs a command. Throws `GitFailure` for any end but a good one. */
  async run(
    args: readonly string[],
    { input, env = {} }: { input?: string | Buffer; env?: Readonly<Record<string, string>> } = {},
  ): Promise<Ended> {
    const { clock, timeout, cwd, signal, secrets } = this.#options
    const ended = await run('git', args, { env: { ...this.#options.env, ...env }, cwd, clock, timeout, input, signal })
    if (ended.status === 0 && ended.cut === undefined) return ended
    const what = `git ${args[0]}`
    if (ended.cut === 'timeout') throw new GitFailure('timeout', `${what} took longer than ${timeout / 1000} s`)
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
