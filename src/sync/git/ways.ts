import type { Commit } from '../commit.ts'
import { GitFailure } from './failure.ts'
import type { Git } from './git.ts'
import type { GitHub } from './github-commit.ts'
import { type MakeOptions, makeCommit } from './make-commit.ts'
import { headOf, type SendOptions, send } from './send.ts'

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
  to: Pick<SendOptions, 'env' | 'remote' | 'pushOptions'>,
): Way {
  return async ({ commit, base, branch, target }) => {
    if (target !== undefined) {
      const head = await headOf(git, { ...to, branch })
      if (head !== undefined) return { commit: head, existed: true, sent: 0, said: '' }
    }
    const made = await makeCommit(git, commit, { ...make, base })
    return {
      commit: made,
      ...(await send(git, { ...to, commit: made, branch, expected: target === undefined ? base : '' })),
    }
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
    let expected = base
    if (target !== undefined) {
      const head = await headOf(git, { ...from, branch })
      if (head === undefined) await github.createBranch(branch, base)
      // one without a commit of its own is what was left when this was ended between the two steps
      else if (head !== base && (await github.commitsAhead(branch, target)) > 0)
        return { commit: head, existed: true, sent: 0, said: '' }
      else expected = head
    }
    return { commit: await github.commit({ branch, expected, changes, message }), sent: 0, said: '' }
  }
}
