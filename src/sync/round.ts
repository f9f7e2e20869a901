import type { Clock } from './clock.ts'
import type { EngineContext } from './context.ts'
import type { Evaluation } from './effect/evaluation.ts'
import { commitAndPush } from './git/commit-and-push.ts'
import type { Checkout, Commit, Repository } from './git/repository.ts'
import type { RoundResult } from './loop.ts'
import type { Report } from './report.ts'

/** What GitHub asks of integrations. */
const MAX_PUSHES = 6
const PERIOD = 60_000

/** Limits the process to six pushes a minute, whatever the configuration says. */
export class PushLimit {
  readonly #clock: Clock
  #times: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Waits until one more push may begin, and counts it; resolves with false where the signal is aborted before. */
  async acquire(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false
      const now = this.#clock.now()
      this.#times = this.#times.filter((time) => time > now - PERIOD && time <= now)
      const oldest = this.#times[0]
      if (oldest === undefined || this.#times.length < MAX_PUSHES) {
        this.#times.push(now)
        return true
      }
      await this.#clock.sleep(oldest + PERIOD - now, signal)
    }
  }
}

export interface RoundOptions {
  readonly repository: Repository
  /** Compares the cluster with a checkout; writes nothing. */
  readonly evaluate: (checkout: Checkout, now: Date) => Evaluation
  readonly limit: PushLimit
  readonly report: Report
  readonly context: Pick<EngineContext, 'clock' | 'log' | 'meter'>
  /** Evaluates nothing. */
  readonly suspend: boolean
  /** Logs what would be pushed. */
  readonly dryRun: boolean
}

/**
 * Evaluates once, and pushes the commit that follows. Where the branch has moved meanwhile, everything is evaluated
 * again on its new head. Never rejects: failures are reported, and the loop tries again later.
 */
export async function runRound(options: RoundOptions, signal: AbortSignal): Promise<RoundResult> {
  const { repository, evaluate, limit, report, context, suspend, dryRun } = options
  const { clock, meter } = context
  if (suspend) {
    meter.suppressed('suspended')
    return { outcome: 'done' }
  }
  let last: Evaluation | undefined
  const makeCommit = async (checkout: Checkout): Promise<Commit | undefined> => {
    const startedAt = clock.now()
    last = evaluate(checkout, new Date(startedAt))
    meter.evaluated(last.kind, (clock.now() - startedAt) / 1000)
    if (last.kind !== 'commit') return undefined
    if (!dryRun) return (await limit.acquire(signal)) ? last.commit : undefined
    report.wouldCommit(last)
    return undefined
  }
  try {
    const result = await commitAndPush(repository, makeCommit, { context, signal })
    if (signal.aborted && result.kind !== 'pushed') return { outcome: 'done' }
    meter.cloneSize(await repository.size())
    return roundResult(last, result, report)
  } catch (error) {
    report.evaluationFailed(error)
    return { outcome: 'refused' }
  }
}

/** Reports the evaluation and the push. There is no evaluation where the branch could not be fetched. */
function roundResult(
  last: Evaluation | undefined,
  result: Awaited<ReturnType<typeof commitAndPush>>,
  report: Report,
): RoundResult {
  const until = last?.until?.getTime()
  if (result.kind === 'pushed') {
    if (last?.kind === 'commit') report.pushed(last, result)
    return { outcome: 'pushed', until, ...(result.isReview ? {} : { head: result.commit }) }
  }
  if (result.kind !== 'nothing') {
    report.notPushed(result)
    // after ten lost races the branch is busy: the next round comes soon
    const outcome = result.kind === 'refused' ? 'refused' : 'unreachable'
    return { outcome, until, retryAfter: result.retryAfter }
  }
  if (last?.kind === 'stopped') {
    report.stopped(last)
    return { outcome: 'stopped', until }
  }
  if (last?.kind === 'unchanged') report.unchanged(last)
  return { outcome: 'done', until }
}
