import type { Evaluation } from './effect/evaluation.ts'
import type { Rejected } from './git/failure.ts'
import type { Pushed } from './git/repository.ts'
import type { Log } from './log.ts'
import type { Meter } from './meter.ts'

type Of<Kind extends Evaluation['kind']> = Extract<Evaluation, { kind: Kind }>

/** A Kubernetes Event, as the report wants it said. */
export interface Notice {
  readonly type: 'Normal' | 'Warning'
  readonly reason: 'GuardStopped' | 'RenderFailed' | 'NotPushed' | 'GitUnreachable' | 'EvaluationFailed'
  readonly note: string
}

/** Says how rounds end: in the log, as metrics, and failures as Kubernetes Events, too. */
export class Report {
  readonly #log: Log
  readonly #meter: Meter
  readonly #notify: (notice: Notice) => void
  #unreachable = 0

  constructor(log: Log, meter: Meter, notify: (notice: Notice) => void) {
    this.#log = log
    this.#meter = meter
    this.#notify = notify
  }

  unchanged({ why, until, failure }: Of<'unchanged'>): void {
    this.#works('git')
    this.#meter.component('render', failure === undefined)
    this.#meter.suppressed(why)
    const fields = { until: until?.toISOString() }
    if (failure !== undefined) this.#log.warn(`nothing new is rendered as long as the render fails: ${failure}`, fields)
    else if (why === 'inputs') this.#log.info('nothing has changed', fields)
    else this.#log.info('what has changed changes nothing that is rendered', fields)
  }

  wouldCommit({ summary, commit, effect }: Of<'commit'>): void {
    this.#works('git')
    this.#meter.suppressed('dryRun')
    this.#log.info(`would commit: ${summary}`, { effect, ...filesOf(commit), commitMessage: commit.message })
  }

  pushed({ summary, effect, findings, commit }: Of<'commit'>, { commit: id, branch, url, existed }: Pushed): void {
    this.#works('git')
    if (existed !== true) this.#meter.committed(effect)
    this.#log.info(existed ? `is there already: ${summary}` : `pushed: ${summary}`, {
      effect,
      commit: id,
      branch,
      url,
      ...filesOf(commit),
    })
    this.#meter.component('render', effect !== 'failed')
    if (effect !== 'failed' || existed === true) return
    const why = errorsOf(findings)
    this.#log.error(`the render fails: the inventory is committed, what was rendered stays: ${why}`)
    this.#notify({ type: 'Warning', reason: 'RenderFailed', note: why })
  }

  stopped({ sentence }: Of<'stopped'>): void {
    this.#meter.component('render', false)
    this.#meter.suppressed('stopped')
    this.#log.error(`nothing is committed until somebody has looked: ${sentence}`)
    this.#notify({ type: 'Warning', reason: 'GuardStopped', note: sentence })
  }

  notPushed({ kind, reason, text, mend }: Rejected): void {
    this.#meter.component('git', false)
    this.#log.error(
      kind === 'refused' ? `nothing is pushed before this is mended: ${mend}` : `Git cannot be reached now: ${mend}`,
      {
        kind,
        reason,
        text,
      },
    )
    this.#unreachable = kind === 'refused' ? 0 : this.#unreachable + 1
    if (kind === 'refused') this.#notify({ type: 'Warning', reason: 'NotPushed', note: `${reason}: ${mend}` })
    // what the next try may mend is not worth an Event
    else if (this.#unreachable >= 5)
      this.#notify({ type: 'Warning', reason: 'GitUnreachable', note: `${reason}: ${mend}` })
  }

  broken(error: unknown): void {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    this.#meter.component('render', false)
    this.#meter.evaluated('error')
    this.#log.error(`the evaluation failed: ${message}`, { stack })
    this.#notify({ type: 'Warning', reason: 'EvaluationFailed', note: message })
  }

  #works(name: string): void {
    this.#meter.component(name, true)
    this.#unreachable = 0
  }
}

function filesOf({ changes: { write, remove } }: Of<'commit'>['commit']) {
  return { written: [...write.keys()].join(' '), removed: remove.length === 0 ? undefined : remove.join(' ') }
}

/** The errors among findings, in a few lines. */
function errorsOf(findings: Of<'commit'>['findings']): string {
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`)
  return errors.length <= 3 ? errors.join('; ') : `${errors.slice(0, 3).join('; ')}; and ${errors.length - 3} more`
}
