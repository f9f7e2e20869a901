import type { Commit } from '../commit.ts'
import { GitFailure } from './failure.ts'
import type { Git } from './git.ts'
import type { GitHub } from './github-commit.ts'
import { type MakeOptions, makeCommit } from './make-commit.ts'
import { isMerged, type MergedOptions } from './merged.ts'
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
