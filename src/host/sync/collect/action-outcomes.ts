import type { PlannedAction } from '../../../core/index.ts'
import type { SnapshotParts } from '../../../facts/inventory/index.ts'
import { plural } from '../../../krm/finding.ts'
import { listOf, memberOf } from '../../../krm/map.ts'
import { ACTIONS } from '../../../krm/remembered.ts'
import { type LabelSelector, type Labels, matchesLabels, parseSelector, timeText } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'

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

/** What became of an action, as a snapshot tells it. */
export type Outcome = NonNullable<SnapshotParts['outcomes']>[number]

/** The cached part of a Job of an action. */
export interface LiveJob {
  readonly action: string
  /** The first ten hex digits of what was signed, with which its name ends. */
  readonly digest: string
  readonly state: 'active' | 'complete' | 'failed'
  readonly message?: string
  /** Whether it takes away what an earlier Job set. */
  readonly isEnd: boolean
  /** The node that it drains, and how. */
  readonly drain?: DrainOptions
}

interface DrainOptions {
  readonly node: string
  readonly force: boolean
  readonly deleteEmptyDirData: boolean
  readonly podSelector?: string
}

/** What keeps a Job from going on. */
export interface Blocking {
  /** How many pods are left to evict. */
  readonly left: number
  readonly pods: NonNullable<Outcome['blocking']>
}

const DIGEST = /-([0-9a-f]{10})$/

/** Returns what counts of a Job; undefined where it is of no action. */
export function liveJob({ metadata, spec, status }: KubeObject): LiveJob | undefined {
  const action = memberOf(memberOf(metadata, 'annotations'), ACTIONS)
  const [, digest] = DIGEST.exec(metadata.name) ?? []
  if (typeof action !== 'string' || digest === undefined) return undefined
  const conditions = listOf(memberOf(status, 'conditions'))
  const ended = conditions.find(
    (one) => memberOf(one, 'status') === 'True' && ['Complete', 'Failed'].includes(String(memberOf(one, 'type'))),
  )
  const isFailed = memberOf(ended, 'type') === 'Failed'
  const message = memberOf(ended, 'message')
  const [container] = listOf(memberOf(memberOf(memberOf(spec, 'template'), 'spec'), 'containers'))
  const drain = drainOptions(listOf(memberOf(container, 'args')).map(String))
  return {
    action,
    digest,
    state: ended === undefined ? 'active' : isFailed ? 'failed' : 'complete',
    ...(isFailed && typeof message === 'string' ? { message } : {}),
    isEnd: metadata.name.startsWith('untaintnode-'),
    ...(drain && { drain }),
  }
}

function drainOptions([verb, node, ...flags]: readonly string[]): DrainOptions | undefined {
  if (verb !== 'drain' || node === undefined) return undefined
  const selector = flags.find((flag) => flag.startsWith('--pod-selector='))?.slice('--pod-selector='.length)
  return {
    node,
    force: flags.includes('--force'),
    deleteEmptyDirData: flags.includes('--delete-emptydir-data'),
    ...(selector === undefined ? {} : { podSelector: selector }),
  }
}

/** Returns the kind of the object that controls an object. */
export function controllerOf({ metadata }: KubeObject): string | undefined {
  const owner = listOf(memberOf(metadata, 'ownerReferences')).find((one) => memberOf(one, 'controller') === true)
  const kind = memberOf(owner, 'kind')
  return typeof kind === 'string' ? kind : undefined
}

/** Whether a pod is the mirror of a static pod. */
export function isMirror({ metadata }: KubeObject): boolean {
  return memberOf(memberOf(metadata, 'annotations'), 'kubernetes.io/config.mirror') !== undefined
}

/**
 * Returns what keeps pods of a node from being drained: budgets that allow no disruption, and pods without a controller
 * or with local data where the drain does not ask for those (the filters of kubectl drain).
 */
export function drainBlocking(
  pods: readonly KubeObject[],
  budgets: readonly KubeObject[],
  { force, deleteEmptyDirData, podSelector }: DrainOptions,
): Blocking {
  const selector = podSelector === undefined ? undefined : parseSelector(podSelector)
  const left = pods.filter(
    (pod) =>
      controllerOf(pod) !== 'DaemonSet' &&
      !isMirror(pod) &&
      (selector === undefined || matchesLabels(selector, labelsOf(pod))),
  )
  const blocked = left.flatMap((pod) => {
    const by = hasEnded(pod)
      ? undefined
      : controllerOf(pod) === undefined && !force
        ? 'no controller would make it again, and force is not set'
        : hasLocalData(pod) && !deleteEmptyDirData
          ? 'it has local data, and deleteEmptyDirData is not set'
          : budgetText(pod, budgets)
    return by === undefined ? [] : [{ pod: podName(pod), by }]
  })
  return { left: left.length, pods: blocked.sort((a, b) => (a.pod < b.pod ? -1 : 1)) }
}

/** Returns the budget that keeps a pod from being evicted. */
export function evictBlocking(pod: KubeObject, budgets: readonly KubeObject[]): Blocking {
  const by = budgetText(pod, budgets)
  return { left: 1, pods: by === undefined ? [] : [{ pod: podName(pod), by }] }
}

function budgetText(pod: KubeObject, budgets: readonly KubeObject[]): string | undefined {
  const kept = budgets.find(
    (budget) =>
      budget.metadata.namespace === pod.metadata.namespace &&
      memberOf(budget.status, 'disruptionsAllowed') === 0 &&
      matchesLabels(memberOf(budget.spec, 'selector') as LabelSelector | undefined, labelsOf(pod)),
  )
  return kept && `PodDisruptionBudget ${podName(kept)} allows 0`
}

function hasEnded({ status }: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(String(memberOf(status, 'phase')))
}

function hasLocalData({ spec }: KubeObject): boolean {
  return listOf(memberOf(spec, 'volumes')).some((volume) => memberOf(volume, 'emptyDir') !== undefined)
}

function labelsOf({ metadata }: KubeObject): Labels {
  return (memberOf(metadata, 'labels') ?? {}) as Labels
}

function podName({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`
}
