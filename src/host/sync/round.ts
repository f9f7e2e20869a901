import type { Clock } from '../cluster/clock.ts'
import type { EngineContext } from './context.ts'
import type { Evaluation } from './effect/evaluation.ts'
import { commitAndPush } from './git/push.ts'
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
  /** Reads what an evaluation of a checkout needs beside it. */
  readonly prepare?: (checkout: Checkout) => Promise<void>
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
  const { repository, prepare, evaluate, limit, report, context, suspend, dryRun } = options
  const { clock, meter } = context
  if (suspend) {
    meter.suppressed('suspended')
    return { outcome: 'done' }
  }
  let last: Evaluation | undefined
  const makeCommit = async (checkout: Checkout): Promise<Commit | undefined> => {
    const evaluateNow = () => {
      const startedAt = clock.now()
      const result = evaluate(checkout, new Date(startedAt))
      meter.evaluated(result.kind, (clock.now() - startedAt) / 1000)
      return result
    }
    await prepare?.(checkout)
    last = evaluateNow()
    if (last.kind === 'commit' && dryRun) report.wouldCommit(last)
    if (last.kind !== 'commit' || dryRun || !(await limit.acquire(signal))) return undefined
    // what was rendered may have ended meanwhile, as an action that expires
    for (let again = 0; isOver(last, clock.now()) && again < MAX_AGAIN; again++) last = evaluateNow()
    return last.kind === 'commit' && !isOver(last, clock.now()) ? last.commit : undefined
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

/** How often a commit is made again that was over before its push began. */
const MAX_AGAIN = 5

/** Whether the same input gives another result by now. */
function isOver({ until }: Evaluation, now: number): boolean {
  return until !== undefined && until.getTime() <= now
}

/** Reports the evaluation and the push. There is no evaluation where the branch could not be fetched. */
function roundResult(
  last: Evaluation | undefined,
  result: Awaited<ReturnType<typeof commitAndPush>>,
  report: Report,
): RoundResult {
  const until = last?.until?.getTime()
  const why = last !== undefined && 'failure' in last ? last.failure : undefined
  const failing = why === undefined ? {} : { failure: why }
  if (result.kind === 'pushed') {
    if (last?.kind === 'commit') report.pushed(last, result)
    return { outcome: 'pushed', until, ...failing, ...(result.isReview ? {} : { head: result.commit }) }
  }
  if (result.kind !== 'nothing') {
    report.notPushed(result)
    // after ten lost races the branch is busy: the next round comes soon
    const outcome = result.kind === 'refused' ? 'refused' : 'unreachable'
    return { outcome, until, failure: result.text, retryAfter: result.retryAfter }
  }
  if (last?.kind === 'stopped') {
    report.stopped(last)
    return { outcome: 'stopped', until, failure: last.sentence }
  }
  if (last?.kind === 'unchanged') report.unchanged(last)
  return { outcome: 'done', until, ...failing }
}
