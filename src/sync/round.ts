import type { Clock } from './clock.ts'
import type { Evaluation } from './effect/evaluation.ts'
import { pushing } from './git/commit-and-push.ts'
import type { Checkout, Commit, Repository } from './git/repository.ts'
import type { Log } from './log.ts'
import type { RoundResult } from './loop.ts'
import type { Meter } from './meter.ts'
import type { Report } from './report.ts'

/** What a round needs. */
export interface RoundOptions {
  readonly repository: Repository
  /** What the cluster is now against what a checkout says. Reads, and writes nothing. */
  readonly evaluate: (checkout: Checkout, now: Date) => Evaluation
  readonly limit: PushLimit
  readonly report: Report
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
  /** Looks at nothing. */
  readonly suspend: boolean
  /** Says what would be pushed. */
  readonly dryRun: boolean
}

/**
 * One look at the cluster and at Git: what has to be committed is pushed. On a branch that has moved in the meantime everything is
 * evaluated again. Never rejects: whatever fails is reported and tried again later.
 */
export async function oneRound(options: RoundOptions, signal: AbortSignal): Promise<RoundResult> {
  const { repository, evaluate, limit, report, clock, meter, log, suspend, dryRun } = options
  if (suspend) {
    meter.suppressed('suspended')
    return { outcome: 'done' }
  }
  let last: Evaluation | undefined
  const make = async (checkout: Checkout): Promise<Commit | undefined> => {
    const began = clock.now()
    last = evaluate(checkout, new Date(began))
    meter.evaluated(last.kind, (clock.now() - began) / 1000)
    if (last.kind !== 'commit') return undefined
    if (!dryRun) return (await limit.turn(signal)) ? last.commit : undefined
    report.wouldCommit(last)
    return undefined
  }
  try {
    const result = await pushing(repository, make, { clock, signal, meter, log })
    if (signal.aborted && result.kind !== 'pushed') return { outcome: 'done' }
    meter.cloneSize(await repository.size())
    return ended(last, result, report)
  } catch (error) {
    report.broken(error)
    return { outcome: 'refused' }
  }
}

/** What an evaluation, and the push that it led to, come to. There is no evaluation where the branch could not be read. */
function ended(last: Evaluation | undefined, result: Awaited<ReturnType<typeof pushing>>, report: Report): RoundResult {
  const until = last?.until?.getTime()
  if (result.kind === 'pushed') {
    if (last?.kind === 'commit') report.pushed(last, result)
    return { outcome: 'pushed', until }
  }
  if (result.kind !== 'nothing') {
    report.notPushed(result)
    // ten lost races are a busy branch: it is tried again soon
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

/** What GitHub asks of whoever pushes to it; nothing that happens makes more. */
const PUSHES = 6
const PERIOD = 60_000

/** Lets no more than six pushes a minute through, however many are tried. */
export class PushLimit {
  readonly #clock: Clock
  #times: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Ends when one more push may begin, and counts it; false where the signal was aborted before. */
  async turn(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false
      const now = this.#clock.now()
      this.#times = this.#times.filter((time) => time > now - PERIOD && time <= now)
      const oldest = this.#times[0]
      if (oldest === undefined || this.#times.length < PUSHES) {
        this.#times.push(now)
        return true
      }
      await this.#clock.sleep(oldest + PERIOD - now, signal)
    }
  }
}
