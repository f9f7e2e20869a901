import type { PlannedAction } from '../../../core/index.ts'
import { plural } from '../../../krm/finding/index.ts'
import { timeText } from '../../../kube/index.ts'
import type { Blocking, LiveJob, Outcome } from './action-jobs.ts'

export type { Outcome } from './action-jobs.ts'

/** What outcomes are told from. */
export interface OutcomeInput {
  /** The actions of the newest render; undefined before the first. */
  readonly planned?: readonly PlannedAction[]
  /** What was told before. */
  readonly earlier: readonly Outcome[]
  readonly jobs: ReadonlyMap<string, LiveJob>
  /** By the name of a node the ids of the actions that its mark lists. */
  readonly marks: ReadonlyMap<string, readonly string[]>
  /** By the name of a Job what keeps it from going on. */
  readonly blocking: ReadonlyMap<string, Blocking>
  /** Milliseconds since 1970. */
  readonly now: number
}

type Told = Pick<Outcome, 'state' | 'message' | 'blocking' | 'held'>

/** States in which a Job has begun and not ended. */
const BEGUN: readonly Outcome['state'][] = ['Running', 'Blocked']
/** What is said of an act that had begun when its action expired, or its file was removed. */
const CUT = 'its Job was taken away before it had ended'
/** States that an act never leaves. */
const FINAL: readonly Outcome['state'][] = ['Succeeded', 'Ended', 'Failed']

/**
 * Tells what became of each action, sorted by id. An action that has expired, or whose file is gone, is told of until
 * no earlier one can be valid any more, and for as long as the cluster has something of it.
 */
export function outcomesOf(input: OutcomeInput): Outcome[] {
  const { planned, earlier, now } = input
  const before = new Map(earlier.map((one) => [keyOf(one), one]))
  const current = (planned ?? []).filter(({ digest, state }) => digest !== undefined && state !== 'expired')
  const known = new Set(current.map(({ id, digest }) => `${id} ${digest}`))
  const left = earlier.filter((one) => !known.has(keyOf(one)))
  return [
    ...current.map((row) => currentOutcome(row, before.get(`${row.id} ${row.digest}`), input)),
    ...left.flatMap((one) => leftOutcome(one, input, now) ?? []),
  ].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Returns what is known of outcomes from two sources: of each the one that is final, or was seen later. */
export function mergeOutcomes(one: readonly Outcome[], other: readonly Outcome[]): Outcome[] {
  const merged = new Map(one.map((each) => [keyOf(each), each]))
  for (const each of other) {
    const known = merged.get(keyOf(each))
    if (known === undefined || isNewer(each, known)) merged.set(keyOf(each), each)
  }
  return [...merged.values()]
}

function isNewer(one: Outcome, other: Outcome): boolean {
  const [isFinal, wasFinal] = [one, other].map(({ state }) => FINAL.includes(state))
  return isFinal === wasFinal ? (one.observedAt ?? '') > (other.observedAt ?? '') : isFinal === true
}

function currentOutcome(row: PlannedAction, before: Outcome | undefined, input: OutcomeInput): Outcome {
  const { id, digest = '', sequence, fields, state, keepUntil, proof } = row
  const hasDecided = state === 'in effect' || state === 'done' || before?.fields !== undefined
  const held = isMarked(row, input)
  const told = row.jobs.length > 0 || isAct(before, row, held) ? actState(row, before, input) : fieldState(row, input)
  const proved = hasDecided && proof !== undefined ? { proof } : {}
  const identity = { action: id, digest, sequence, ...(hasDecided ? { fields: [...fields] } : {}), ...proved }
  const times = { now: input.now, keepUntil: keepUntil && timeText(keepUntil) }
  return outcome(identity, { ...told, held: held && told.state !== 'Applied' }, before, times)
}

/** Whether the node of an action lists it among those that hold it. */
function isMarked({ id, target }: PlannedAction, { marks }: OutcomeInput): boolean {
  return target.kind === 'Node' && marks.get(target.name)?.includes(id) === true
}

/** Whether an action that renders no Job now has had one; one whose file came back may hold its node again without. */
function isAct(before: Outcome | undefined, { type }: PlannedAction, isHeld: boolean): boolean {
  if (before === undefined || type === 'cordonNode') return false
  if (before.state === 'Ended' && isHeld && type !== 'drainNode') return false
  return FINAL.includes(before.state) || BEGUN.includes(before.state)
}

/** What the Jobs of an action say. One that had begun and is gone was taken away, and is never begun again. */
function actState(row: PlannedAction, before: Outcome | undefined, { jobs, blocking }: OutcomeInput): Told {
  if (row.state === 'refused') return refused(row)
  const named = row.jobs.length > 0 ? row.jobs : [...jobs.keys()].filter((name) => isJobOf(jobs.get(name), row))
  const live = named.flatMap((name) => jobs.get(name) ?? [])
  const failed = live.find(({ state }) => state === 'failed')
  const blocked = named.flatMap((name) => blocking.get(name) ?? [])[0]
  if (failed !== undefined) return { state: 'Failed', message: failed.message, ...blockingOf(blocked) }
  if (live.length > 0 && live.every(({ state }) => state === 'complete')) return { state: 'Succeeded' }
  if (live.length > 0) {
    const isBlocked = blocked !== undefined && blocked.pods.length > 0
    const message = blocked === undefined ? undefined : `${plural(blocked.left, 'pod')} left`
    return { state: isBlocked ? 'Blocked' : 'Running', message, ...blockingOf(blocked) }
  }
  if (before !== undefined && FINAL.includes(before.state)) return before
  if (before !== undefined && BEGUN.includes(before.state)) return { state: 'Ended', message: 'its Job is gone' }
  return row.state === 'done' ? { state: 'Succeeded' } : waiting(row)
}

/** What a node shows of a lease, and a record of an edit. */
function fieldState(row: PlannedAction, input: OutcomeInput): Told {
  const { state } = row
  if (state === 'refused') return refused(row)
  if (state === 'done' || isMarked(row, input)) return { state: 'Applied' }
  return state === 'superseded' ? { state: 'Ended', message: row.why } : waiting(row)
}

function refused({ why }: PlannedAction): Told {
  return { state: 'Refused', message: why }
}

function waiting({ why }: PlannedAction): Told {
  return { state: 'Waiting', message: why }
}

function blockingOf(blocked: Blocking | undefined): Pick<Told, 'blocking'> {
  return blocked === undefined || blocked.pods.length === 0 ? {} : { blocking: [...blocked.pods] }
}

/** What became of an action that has expired, or whose file is gone; undefined when it need not be told any more. */
function leftOutcome(before: Outcome, { jobs, marks }: OutcomeInput, now: number): Outcome | undefined {
  const { action, state, keepUntil } = before
  const live = [...jobs.values()].filter((job) => isJobOf(job, { id: action, digest: before.digest }))
  const isHeld = [...marks.values()].some((ids) => ids.includes(action))
  const isOver = keepUntil === undefined || Date.parse(keepUntil) <= now
  if (state === 'Refused' || (isOver && live.length === 0 && !isHeld)) return undefined
  const end = live.find(({ isEnd }) => isEnd)
  const told = end === undefined ? leftState(before, live, isHeld) : endedBy(end)
  const { digest, sequence, fields, proof } = before
  const held = (isHeld && told.state !== 'Applied') || end?.state === 'active'
  // once nothing is left to end, nothing need be verified
  const proved = told.state === 'Ended' && !held ? {} : { proof }
  return outcome({ action, digest, sequence, fields, ...proved }, { ...told, held }, before, { now, keepUntil })
}

/** What becomes of an action that expired, or whose file was removed: its Job ends, or is taken away before. */
function leftState({ state, message }: Outcome, live: readonly LiveJob[], isHeld: boolean): Told {
  if (live.some((job) => job.state === 'active')) return { state: BEGUN.includes(state) ? state : 'Running' }
  if (FINAL.includes(state)) return { state, message: state === 'Ended' && message !== CUT ? undefined : message }
  const failed = live.find((job) => job.state === 'failed')
  if (failed !== undefined) return { state: 'Failed', message: failed.message }
  if (live.length > 0) return { state: 'Succeeded' }
  if (BEGUN.includes(state)) return { state: 'Ended', message: CUT }
  return { state: isHeld ? 'Applied' : 'Ended' }
}

/** An act whose taint a Job takes away has ended, whatever that Job comes to: it does not begin again. */
function endedBy({ state, message }: LiveJob): Told {
  if (state === 'failed') return { state: 'Failed', message }
  return { state: 'Ended', message: state === 'active' ? 'its taint is being taken away' : message }
}

function isJobOf(job: LiveJob | undefined, { id, digest }: { readonly id: string; readonly digest?: string }): boolean {
  return job?.action === id && job.digest === digest
}

function outcome(
  identity: Pick<Outcome, 'action' | 'digest' | 'sequence' | 'fields' | 'proof'>,
  { state, held, message, blocking }: Told,
  before: Outcome | undefined,
  { now, keepUntil }: { readonly now: number; readonly keepUntil?: string },
): Outcome {
  const observedAt = before?.state === state ? (before.observedAt ?? timeText(now)) : timeText(now)
  const all = { ...identity, state, held: held || undefined, message, blocking, observedAt, keepUntil }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Outcome
}

function keyOf({ action, digest }: Outcome): string {
  return `${action} ${digest}`
}
