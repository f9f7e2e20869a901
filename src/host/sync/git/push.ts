import { BACKOFF, Backoff } from '../backoff.ts'
import type { EngineContext } from '../context.ts'
import { GitFailure } from './failure.ts'
import { type Git, readableOutput, transferredBytes } from './git.ts'
import type { GitHub } from './github.ts'
import { type MakeCommitOptions, makeCommit } from './make-commit.ts'
import type { Remote } from './remote.ts'
import type { Checkout, Commit, PushResult, Repository } from './repository.ts'
import { type IsMergedOptions, isMerged } from './review.ts'

/** A commit to be made and pushed. */
interface PushRequest {
  readonly commit: Commit
  readonly base: string
  /** The branch that is pushed to. */
  readonly branch: string
  /** The branch that a review is for; undefined where `branch` itself is updated. */
  readonly target: string | undefined
}

/** A commit that the remote has; `existed` where it already had the branch for review. */
interface PushedCommit {
  readonly commit: string
  readonly existed?: boolean
  /** The bytes that are not counted yet. */
  readonly sent: number
  /** The output of the server. */
  readonly output: string
}

/** Makes a commit and pushes it to a branch whose head must be `base`. Rejects with `GitFailure`. */
export type Pusher = (request: PushRequest) => Promise<PushedCommit>

/** Makes the commit locally and pushes it with the git program. */
export function gitPusher(
  git: Git,
  commitOptions: Omit<MakeCommitOptions, 'base'>,
  pushOptions: Pick<SendOptions, 'env' | 'remote' | 'pushOptions'> & Pick<IsMergedOptions, 'folder'>,
): Pusher {
  return async ({ commit, base, branch, target }) => {
    let expected = base
    if (target !== undefined) {
      const head = await remoteHead(git, { ...pushOptions, branch })
      // a branch that was merged and then reverted has nothing left to merge: it gets a new commit on top of the target
      if (head !== undefined && !(await isMerged(git, { ...pushOptions, branch, head, target, base })))
        return { commit: head, existed: true, sent: 0, output: '' }
      expected = head ?? ''
    }
    const made = await makeCommit(git, commit, { ...commitOptions, base })
    return { commit: made, ...(await send(git, { ...pushOptions, commit: made, branch, expected })) }
  }
}

/** Lets GitHub make the commit, which GitHub then signs. */
export function gitHubPusher(git: Git, github: GitHub, options: Pick<SendOptions, 'env' | 'remote'>): Pusher {
  return async ({ commit: { changes, message }, base, branch, target }) => {
    if (base === '')
      throw new GitFailure('no-branch', 'the GitHub API cannot make the first commit of a branch: push one yourself')
    if (target !== undefined) {
      const head = await remoteHead(git, { ...options, branch })
      if (head === undefined) await github.createBranch(branch, base)
      else if (head !== base) {
        const { ahead, id } = await github.compare(branch, target)
        if (ahead > 0) return { commit: head, existed: true, sent: 0, output: '' }
        // merged and then reverted, or the process was ended between creating the branch and the commit
        await github.moveBranch(id, base)
      }
    }
    const commit = await github.commit({ branch, expected: base, changes, message })
    return { commit, sent: 0, output: '' }
  }
}

interface SendOptions {
  readonly env: Readonly<Record<string, string>>
  readonly remote: Remote
  readonly commit: string
  readonly branch: string
  /** The head that the branch must have; empty for a branch that must not exist. */
  readonly expected: string
  readonly pushOptions: readonly string[]
}

/**
 * Pushes a commit on top of the expected head: the server compares and updates the branch in one step, so that nothing
 * is overwritten. Rejects with `GitFailure`, unless the connection was lost after the server had taken the commit.
 */
async function send(
  git: Git,
  { env, remote, commit, branch, expected, pushOptions }: SendOptions,
): Promise<{ sent: number; output: string }> {
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
    return { sent: transferredBytes(stderr), output: readableOutput(stderr) }
  } catch (error) {
    if (!(error instanceof GitFailure) || error.kind !== 'unreachable' || error.reason === 'stopped') throw error
    const head = await remoteHead(git, { env, remote, branch }).catch(() => undefined)
    if (head !== commit) throw error
    return { sent: 0, output: '' }
  }
}

/** The head of a branch of the remote; undefined where the branch does not exist. Rejects with `GitFailure`. */
async function remoteHead(
  git: Git,
  { env, remote, branch }: Pick<SendOptions, 'env' | 'remote' | 'branch'>,
): Promise<string | undefined> {
  const line = await git.line(['ls-remote', '--', remote.address, `refs/heads/${branch}`], { env })
  return /^([0-9a-f]{40,64})\t/.exec(line)?.[1]
}

const MAX_ATTEMPTS = 10

interface CommitAndPushOptions {
  readonly maxAttempts?: number
  readonly context: Pick<EngineContext, 'clock' | 'log' | 'meter'>
  readonly signal?: AbortSignal
  /** Gives numbers from 0 up to 1. */
  readonly random?: () => number
}

type MakeCommit = (checkout: Checkout) => Commit | undefined | Promise<Commit | undefined>

/**
 * Fetches the branch, makes the commit for it, and pushes it. Where another writer was first, all of it is done again
 * on the new head, so that nothing is ever merged. Other failures are returned, for the caller to try again later.
 * Rejects as `makeCommit` does.
 */
export async function commitAndPush(
  repository: Repository,
  makeCommit: MakeCommit,
  { maxAttempts = MAX_ATTEMPTS, context, signal, random }: CommitAndPushOptions,
): Promise<PushResult | { readonly kind: 'nothing' }> {
  const { clock, log, meter } = context
  const backoff = new Backoff(random)
  for (let attempt = 1; ; attempt++) {
    const result = await attemptOnce(repository, makeCommit, signal)
    if (result.kind === 'nothing') return result
    if (result.kind === 'pushed') {
      if (result.existed !== true) meter.pushed('pushed', '')
      return result
    }
    const { kind, reason, retryAfter } = result
    if (result.isFetch === true) meter.fetchFailed(kind, reason)
    else meter.pushed(kind, reason)
    if (kind !== 'raced' || attempt >= maxAttempts) return result
    const pause = backoff.next(BACKOFF.raced, retryAfter)
    log.info('another writer pushed first: making the commit again on the new head', { attempt, reason, pause })
    await clock.sleep(pause, signal)
    if (signal?.aborted) return new GitFailure('stopped', 'stopped between two attempts').toRejected()
  }
}

async function attemptOnce(
  repository: Repository,
  makeCommit: MakeCommit,
  signal: AbortSignal | undefined,
): Promise<PushResult | { readonly kind: 'nothing' }> {
  let checkout: Checkout
  try {
    checkout = await repository.fetch(signal)
  } catch (error) {
    if (error instanceof GitFailure) return { ...error.toRejected(), isFetch: true }
    throw error
  }
  const commit = await makeCommit(checkout)
  return commit === undefined ? { kind: 'nothing' } : repository.push(checkout, commit, signal)
}
