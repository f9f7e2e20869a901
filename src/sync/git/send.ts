import { GitFailure } from './failure.ts'
import type { Git } from './git.ts'
import type { Remote } from './remote-url.ts'
import { bytesSaid, saidOf } from './said.ts'

export interface SendOptions {
  readonly env: Readonly<Record<string, string>>
  readonly remote: Remote
  readonly commit: string
  readonly branch: string
  /** What the branch has to be at; empty for one that must not be there. */
  readonly expected: string
  readonly pushOptions: readonly string[]
}

/**
 * Sends a commit that lies on top of what the branch is expected to be at: the server compares that with what it is at and moves it in one
 * step, so nothing is ever overwritten. Throws `GitFailure`, unless a connection was lost and the server has the commit all the same.
 */
export async function send(
  git: Git,
  { env, remote, commit, branch, expected, pushOptions }: SendOptions,
): Promise<{ sent: number; said: string }> {
  const args = [
    'push',
    '--porcelain',
    '--progress',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
    `--force-with-lease=refs/heads/${branch}:${expected}`,
    ...pushOptions.map((option) => `--push-option=${option}`),
    '--',
    remote.address,
    `${commit}:refs/heads/${branch}`,
  ]
  try {
    const { stderr } = await git.run(args, { env })
    return { sent: bytesSaid(stderr), said: saidOf(stderr) }
  } catch (error) {
    if (!(error instanceof GitFailure) || error.kind !== 'unreachable' || error.reason === 'stopped') throw error
    const head = await headOf(git, { env, remote, branch }).catch(() => undefined)
    if (head !== commit) throw error
    return { sent: 0, said: '' }
  }
}

/** The commit that a branch of the remote is at; undefined where there is no such branch. Throws `GitFailure`. */
export async function headOf(
  git: Git,
  { env, remote, branch }: Pick<SendOptions, 'env' | 'remote' | 'branch'>,
): Promise<string | undefined> {
  const line = await git.line(['ls-remote', '--', remote.address, `refs/heads/${branch}`], { env })
  return /^([0-9a-f]{40,64})\t/.exec(line)?.[1]
}
