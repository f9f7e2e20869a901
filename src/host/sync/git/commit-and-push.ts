import { BACKOFF, Backoff } from '../backoff.ts'
import type { EngineContext } from '../context.ts'
import { GitFailure } from './failure.ts'
import type { Checkout, Commit, PushResult, Repository } from './repository.ts'

const MAX_ATTEMPTS = 10

export interface CommitAndPushOptions {
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
