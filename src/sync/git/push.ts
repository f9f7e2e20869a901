import { GitFailure } from './failure.ts'
import { bytesSaid, type Git, saidOf } from './git.ts'
import type { GitHub } from './github.ts'
import { type MakeOptions, makeCommit } from './make-commit.ts'
import type { Remote } from './remote.ts'
import type { Commit } from './repository.ts'
import { isMerged, type MergedOptions } from './review.ts'

/** What a commit is made of, and where it goes. */
export interface Outgoing {
  readonly commit: Commit
  readonly base: string
  /** The branch that is pushed to. */
  readonly branch: string
  /** The branch that a review is for; undefined where the base itself moves on. */
  readonly target: string | undefined
}

/** A commit that the remote has; `existed` where it had the branch for review already. */
export interface Sent {
  readonly commit: string
  readonly existed?: boolean
  /** Bytes, as far as they are not counted already. */
  readonly sent: number
  readonly said: string
}

/** A way to have a commit made on a branch of the remote, where it is expected to be. Throws `GitFailure`. */
export type Way = (outgoing: Outgoing) => Promise<Sent>

/** Makes the commit here and pushes it with the git program. */
export function byGit(
  git: Git,
  make: Omit<MakeOptions, 'base'>,
  to: Pick<SendOptions, 'env' | 'remote' | 'pushOptions'> & Pick<MergedOptions, 'folder'>,
): Way {
  return async ({ commit, base, branch, target }) => {
    let expected = base
    if (target !== undefined) {
      const head = await headOf(git, { ...to, branch })
      // one that was merged, and then undone, has nothing left to merge: it moves on with a new commit on top of the target
      if (head !== undefined && !(await isMerged(git, { ...to, branch, head, target, base })))
        return { commit: head, existed: true, sent: 0, said: '' }
      expected = head ?? ''
    }
    const made = await makeCommit(git, commit, { ...make, base })
    return { commit: made, ...(await send(git, { ...to, commit: made, branch, expected })) }
  }
}

/** Has GitHub make the commit, which GitHub then signs. */
export function byGitHub(git: Git, github: GitHub, from: Pick<SendOptions, 'env' | 'remote'>): Way {
  return async ({ commit: { changes, message }, base, branch, target }) => {
    if (base === '')
      throw new GitFailure(
        'no-branch',
        'GitHub makes no first commit of a branch by its interface: push one commit yourself',
      )
    if (target !== undefined) {
      const head = await headOf(git, { ...from, branch })
      if (head === undefined) await github.createBranch(branch, base)
      else if (head !== base) {
        const { ahead, id } = await github.compare(branch, target)
        if (ahead > 0) return { commit: head, existed: true, sent: 0, said: '' }
        // one without a commit of its own was merged, and then undone, or was left when this was ended between the two steps
        await github.moveBranch(id, base)
      }
    }
    return { commit: await github.commit({ branch, expected: base, changes, message }), sent: 0, said: '' }
  }
}

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
