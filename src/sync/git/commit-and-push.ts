import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import { GitFailure } from './failure.ts'
import type { Checkout, Commit, PushResult, Repository } from './repository.ts'

const TRIES = 10
const FIRST_MILLISECONDS = 1000
const GROWTH = 1.5
const LONGEST_MILLISECONDS = 30_000
/** A server's clock may be wrong, or its page for another reader. */
const LONGEST_ASKED_MILLISECONDS = 3_600_000

export interface PushingOptions {
  readonly tries?: number
  readonly clock: Clock
  readonly signal?: AbortSignal
  readonly meter: Meter
  readonly log: Log
  /** From 0 up to 1. */
  readonly random?: () => number
}

/**
 * Fetches, has the commit made for what is there, and pushes it; when somebody else was first, all of it again, so that nothing is ever merged
 * that was made for something else. Other failures are for the caller to come back after. Throws what `make` throws.
 */
export async function pushing(
  repository: Repository,
  make: (checkout: Checkout) => Commit | undefined | Promise<Commit | undefined>,
  { tries = TRIES, clock, signal, meter, log, random = Math.random }: PushingOptions,
): Promise<PushResult | { readonly kind: 'nothing' }> {
  for (let attempt = 1; ; attempt++) {
    const result = await attempted(repository, make, signal)
    if (result.kind === 'nothing') return result
    if (result.kind === 'pushed') {
      if (result.existed !== true) meter.pushed('pushed', '')
      return result
    }
    meter.pushed(result.kind, result.reason)
    if (result.kind !== 'raced' || attempt >= tries) return result
    const pause = Math.min(result.retryAfter ?? pauseAfter(attempt, random), LONGEST_ASKED_MILLISECONDS)
    log.info('somebody else has pushed first: the commit is made again on top of that', {
      attempt,
      reason: result.reason,
      pause,
    })
    await clock.sleep(pause, signal)
    if (signal?.aborted) return new GitFailure('stopped', 'stopped between two tries').asRejected()
  }
}

async function attempted(
  repository: Repository,
  make: (checkout: Checkout) => Commit | undefined | Promise<Commit | undefined>,
  signal: AbortSignal | undefined,
): Promise<PushResult | { readonly kind: 'nothing' }> {
  let checkout: Checkout
  try {
    checkout = await repository.fetch(signal)
  } catch (error) {
    if (error instanceof GitFailure) return error.asRejected()
    throw error
  }
  const commit = await make(checkout)
  return commit === undefined ? { kind: 'nothing' } : repository.push(checkout, commit, signal)
}

/** Growing pauses, each up to half shorter or longer, so that writers that met once do not meet again. */
export function pauseAfter(attempt: number, random: () => number): number {
  const pause = Math.min(FIRST_MILLISECONDS * GROWTH ** (attempt - 1), LONGEST_MILLISECONDS)
  return Math.round(Math.min(pause * (0.5 + random()), LONGEST_MILLISECONDS))
}
