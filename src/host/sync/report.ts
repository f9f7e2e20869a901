import type { Finding } from '../../krm/finding.ts'
import type { EventDraft } from './api/events.ts'
import type { Outcome } from './collect/action-outcomes.ts'
import type { HeldLimit } from './collect/usage-settling.ts'
import type { EngineContext } from './context.ts'
import type { Evaluation } from './effect/evaluation.ts'
import { heldText, type UsageChanges, usageBrief, usageLine } from './effect/usage-changes.ts'
import type { Rejected } from './git/failure.ts'
import type { Pushed } from './git/repository.ts'

type EvaluationOf<Kind extends Evaluation['kind']> = Extract<Evaluation, { kind: Kind }>

/** The part of an Event that depends on what happened. */
export interface Notice extends Pick<EventDraft, 'type' | 'note'> {
  readonly reason:
    | 'GuardStopped'
    | 'GuardSettled'
    | 'RenderFailed'
    | 'NotPushed'
    | 'NotFetched'
    | 'GitUnreachable'
    | 'EvaluationFailed'
    | 'ClusterDiffers'
    | 'OOMKilled'
    | 'OOMKilledAgain'
    | 'SizesSettled'
    | `Action${Outcome['state']}`
}

/** After this many rounds in a row an unreachable Git server is worth an Event. */
const MAX_UNREACHABLE = 5

/** Events of one commit, of which a namespace takes no thousands. */
const MAX_RAISES = 10

const WARNING: readonly Outcome['state'][] = ['Blocked', 'Failed', 'Refused']

/** Reports the result of each round: in the log, as metrics, and failures as Events. */
export class Report {
  readonly #context: Pick<EngineContext, 'log' | 'meter'>
  readonly #notify: (notice: Notice) => void
  #unreachable = 0
  #held: string | undefined
  #differences: ReadonlySet<string> = new Set()
  /** The limits that are held against kills, by name and time. */
  #heldLimits: ReadonlySet<string> = new Set()
  /** The state of each action, by id and digest; undefined before the first time. */
  #states: ReadonlyMap<string, string> | undefined

  constructor(context: Pick<EngineContext, 'log' | 'meter'>, notify: (notice: Notice) => void) {
    this.#context = context
    this.#notify = notify
  }

  /** Why nothing is committed until a person acts; undefined where nothing is held. */
  get held(): string | undefined {
    return this.#held
  }

  #hold(sentence: string | undefined): void {
    this.#held = sentence
    const { meter } = this.#context
    meter.guardHolds(sentence !== undefined)
    meter.held(/^([A-Z][A-Za-z]+): /.exec(sentence ?? '')?.[1])
  }

  unchanged({ why, until, failure }: EvaluationOf<'unchanged'>): void {
    const { log, meter } = this.#context
    this.#hold(undefined)
    this.#gitWorks()
    meter.reviewWaits(false)
    meter.component('render', failure === undefined)
    meter.suppressed(why)
    const fields = { until: until?.toISOString() }
    if (failure !== undefined) log.warn(`the render still fails, and the output stays as it is: ${failure}`, fields)
    else if (why === 'inputs') log.info('no change', fields)
    else log.info('no change of what is rendered', fields)
  }

  wouldCommit({ summary, commit, effect }: EvaluationOf<'commit'>): void {
    this.#hold(undefined)
    this.#gitWorks()
    this.#context.meter.suppressed('dryRun')
    this.#context.log.info(`would commit: ${summary}`, {
      effect,
      ...fileFields(commit),
      commitMessage: commit.message,
    })
  }

  pushed(
    { summary, effect, findings, commit, settled, usage }: EvaluationOf<'commit'>,
    { commit: id, branch, url, existed, isReview = false }: Pushed,
  ): void {
    const { log, meter } = this.#context
    this.#hold(undefined)
    this.#gitWorks()
    meter.reviewWaits(isReview)
    if (existed !== true) meter.committed(effect)
    if (settled !== undefined && existed !== true) {
      meter.guardSettled()
      log.warn(`a guard held this commit, and it is accepted: ${settled}`)
      this.#notify({ type: 'Normal', reason: 'GuardSettled', note: settled })
    }
    const fields = { effect, commit: id, branch, url, ...fileFields(commit) }
    log.info(existed ? `already pushed: ${summary}` : `pushed: ${summary}`, fields)
    if (existed !== true) this.#settled(usage)
    meter.component('render', effect !== 'failed')
    if (effect !== 'failed' || existed === true) return
    const errors = errorText(findings)
    log.error(`the render fails: the inventory is committed, and the output stays as it is: ${errors}`)
    this.#notify({ type: 'Warning', reason: 'RenderFailed', note: errors })
  }

  /** Reports sizes that usage has settled: an Event for each limit that kills have raised, one for all others. */
  #settled(usage: UsageChanges): void {
    const { meter } = this.#context
    const raises = usage.filter(({ isRaise }) => isRaise)
    const regular = usage.filter(({ isRaise }) => !isRaise)
    meter.settled('OOMKilled', raises.length)
    meter.settled('Regular', regular.length)
    for (const raise of raises.slice(0, MAX_RAISES))
      this.#notify({ type: 'Warning', reason: 'OOMKilled', note: usageLine(raise) })
    if (regular.length > 0) this.#notify({ type: 'Normal', reason: 'SizesSettled', note: usageBrief(regular) })
  }

  /** Reports limits that are not raised though containers are killed: each once, as long as it is held. */
  heldLimits(held: readonly HeldLimit[]): void {
    const keyed = held.map((one) => [JSON.stringify([one.key, one.until]), one] as const)
    for (const [, one] of keyed.filter(([key]) => !this.#heldLimits.has(key)).slice(0, MAX_RAISES)) {
      const note = heldText(one)
      this.#context.log.warn(`a limit is not raised again: ${note}`)
      this.#notify({ type: 'Warning', reason: 'OOMKilledAgain', note })
    }
    this.#heldLimits = new Set(keyed.map(([key]) => key))
  }

  stopped({ sentence, preview }: EvaluationOf<'stopped'>): void {
    const { log, meter } = this.#context
    this.#hold(sentence)
    if (preview !== undefined)
      log.info(`would commit, once it is accepted: ${preview.summary}`, {
        ...fileFields(preview.commit),
        commitMessage: preview.commit.message,
        notes: preview.notes.join('; '),
      })
    meter.component('render', false)
    meter.suppressed('stopped')
    log.error(`nothing is committed until a person resolves this: ${sentence}`)
    this.#notify({ type: 'Warning', reason: 'GuardStopped', note: sentence })
  }

  notPushed({ kind, reason, text, mend, isFetch = false }: Rejected): void {
    const { log, meter } = this.#context
    const isRefused = kind === 'refused'
    meter.component('git', false)
    log.error(
      isRefused
        ? `${isFetch ? 'cannot fetch until this is resolved' : 'cannot push until this is resolved'}: ${mend}`
        : `cannot reach Git, trying again: ${mend}`,
      {
        kind,
        reason,
        text,
      },
    )
    this.#unreachable = isRefused ? 0 : this.#unreachable + 1
    const note = `${reason}: ${mend}`
    if (isRefused) this.#notify({ type: 'Warning', reason: isFetch ? 'NotFetched' : 'NotPushed', note })
    else if (this.#unreachable >= MAX_UNREACHABLE) this.#notify({ type: 'Warning', reason: 'GitUnreachable', note })
  }

  /** Reports what the cluster has otherwise than what was rendered: an Event each time, a line of the log once. */
  clusterDiffers(findings: readonly Finding[]): void {
    const { log, meter } = this.#context
    meter.clusterDiffers(findings.map(({ code }) => code))
    const notes = findings.map(({ code, message }) => `${code}: ${message}`)
    for (const note of notes) {
      if (!this.#differences.has(note)) log.warn(`the cluster differs: ${note}`)
      this.#notify({ type: 'Warning', reason: 'ClusterDiffers', note })
    }
    if (notes.length === 0 && this.#differences.size > 0) log.info('the cluster has what was rendered again')
    this.#differences = new Set(notes)
  }

  /** Reports what became of signed actions: an Event and a line of the log for each that has another state. */
  actions(outcomes: readonly Outcome[]): void {
    const { log, meter } = this.#context
    const before = this.#states
    const counts = new Map<string, number>()
    for (const { action, digest, state, message, blocking = [] } of outcomes) {
      counts.set(state, (counts.get(state) ?? 0) + 1)
      // what an earlier process has told is not told again
      if (before === undefined || before.get(`${action} ${digest}`) === state) continue
      const [pod] = blocking
      const why = [message, pod && `pod ${pod.pod}: ${pod.by}`].filter((text) => text !== undefined).join('; ')
      const note = `action ${action}: ${state}${why === '' ? '' : `: ${why}`}`
      log.info(note, { action, digest, state })
      this.#notify({ type: WARNING.includes(state) ? 'Warning' : 'Normal', reason: `Action${state}`, note })
    }
    meter.actions(counts)
    this.#states = new Map(outcomes.map(({ action, digest, state }) => [`${action} ${digest}`, state]))
  }

  evaluationFailed(error: unknown): void {
    const { log, meter } = this.#context
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    meter.component('render', false)
    meter.evaluated('error')
    log.error(`the evaluation failed, trying again: ${message}`, { stack })
    this.#notify({ type: 'Warning', reason: 'EvaluationFailed', note: message })
  }

  #gitWorks(): void {
    this.#context.meter.component('git', true)
    this.#unreachable = 0
  }
}

function fileFields({ changes: { write, remove } }: EvaluationOf<'commit'>['commit']) {
  return { written: [...write.keys()].join(' '), removed: remove.length === 0 ? undefined : remove.join(' ') }
}

/** The first three errors. */
function errorText(findings: EvaluationOf<'commit'>['findings']): string {
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`)
  return errors.length <= 3 ? errors.join('; ') : `${errors.slice(0, 3).join('; ')}; and ${errors.length - 3} more`
}
