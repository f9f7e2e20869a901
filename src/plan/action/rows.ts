import {
  type ActionState,
  type CountLine,
  earliest,
  jobText,
  type PlannedAction,
  type Rendered,
  type RowLine,
} from '../../core/index.ts'
import { type Finding, isError } from '../../krm/finding.ts'
import { memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { timeText } from '../../kube/index.ts'
import type { Judged } from './judge.ts'
import type { Leases } from './leases.ts'
import type { Memory } from './memory.ts'
import { fieldsOf } from './parameters.ts'
import { proofText } from './proof.ts'
import { expiryOf } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import { targetText } from './verify.ts'

/** The state of an action by the code that is reported of it. */
const STATES: Readonly<Record<string, ActionState>> = {
  ActionExpired: 'expired',
  ActionNotYetValid: 'not yet valid',
  ActionSuperseded: 'superseded',
  ActionTargetMissing: 'no target',
  ActionTargetChanged: 'no target',
  ActionQueued: 'queued',
  ActionSuspended: 'suspended',
  ActionRendered: 'in effect',
}

/** What rows are made of. */
interface RowInput {
  readonly judged: Pick<Judged, 'all'>
  readonly findings: readonly Finding[]
  /** By the id of an action the names of its Jobs. */
  readonly names: ReadonlyMap<string, readonly string[]>
  readonly done: ReadonlyMap<string, string>
  readonly settings: Pick<ActionSettings, 'maxLifetime'>
}

/** Returns every action of a package with what the run makes of it. */
export function rowsOf({ judged, findings, names, done, settings }: RowInput): PlannedAction[] {
  const bySubject = findingsBySubject(findings)
  return judged.all.map(({ subject, action }) => {
    const about = bySubject.get(subject) ?? []
    const wrong = about.find(isError)
    const told = wrong ?? about.find(({ code }) => Object.hasOwn(STATES, code))
    const state = wrong === undefined ? (STATES[told?.code ?? ''] ?? 'refused') : 'refused'
    const why = state === 'in effect' || told === undefined ? undefined : `${told.code}: ${told.sentence}`
    const expiresAt = action?.expiresAt ?? expiryOf(subject)
    if (action === undefined)
      return { ...shownFields(subject), state, why, expiresAt, sequence: 0, fields: [], jobs: [] }
    const { id, digest, type, target, requester, reason, sequence } = action
    const { main, more } = fieldsOf(action)
    const jobs = names.get(id) ?? []
    const isDone = state === 'in effect' && done.get(id) === digest && (jobs.length > 0 || target.kind !== 'Node')
    return {
      id,
      digest,
      type,
      target,
      requester,
      reason,
      state: isDone ? 'done' : state,
      why,
      sequence,
      fields: [...main, ...more],
      expiresAt,
      keepUntil: new Date(action.expiresAt.getTime() + settings.maxLifetime),
      ...(target.kind === 'Node' ? { proof: proofText(action) } : {}),
      jobs,
    }
  })
}

/** Returns the findings of each object. */
export function findingsBySubject(findings: readonly Finding[]): Map<unknown, Finding[]> {
  const bySubject = new Map<unknown, Finding[]>()
  for (const one of findings) {
    const known = bySubject.get(one.subject)
    if (known === undefined) bySubject.set(one.subject, [one])
    else known.push(one)
  }
  return bySubject
}

/** What an action says of itself, which nobody has verified. */
function shownFields({ metadata, spec }: KubernetesObject): Pick<PlannedAction, 'id' | 'type' | 'target'> {
  const text = (of: unknown, key: string) => {
    const value = memberOf(of, key)
    return typeof value === 'string' ? value : undefined
  }
  const target = memberOf(spec, 'target')
  const namespace = text(target, 'namespace')
  return {
    id: text(spec, 'id') ?? metadata.name,
    type: text(spec, 'type') ?? '',
    target: { kind: text(target, 'kind') ?? '', name: text(target, 'name') ?? '', ...(namespace && { namespace }) },
  }
}

/** Formats a row for each Job, those of earlier runs that are kept too: what it runs, as whom, and in which image. */
export function jobRows(jobs: readonly Rendered[]): RowLine[] {
  return jobs.flatMap(({ object }) => {
    const job = jobText(object)
    if (job === undefined) return []
    const cells = { JOB: object.metadata.name, RUNS: job.command, ACCOUNT: job.account, IMAGE: job.image }
    return [{ kind: 'row', cells: Object.entries(cells) }]
  })
}

/** Formats a row for each action: id, type, target, who asked for it, what became of it, and until when it is valid. */
export function rowLines(rows: readonly PlannedAction[], { outcomes }: Pick<Memory, 'outcomes'>): RowLine[] {
  return rows.map((row) => {
    const { id, digest, type, requester = '-', state, expiresAt } = row
    const outcome = outcomes.byAction.get(`${id} ${digest}`)?.state
    const cells = {
      ...{ ACTION: id, TYPE: type, TARGET: targetText(row), REQUESTER: requester },
      STATE: outcome === undefined ? state : `${state}, ${outcome}`,
      UNTIL: expiresAt === undefined ? '-' : timeText(expiresAt),
    }
    return { kind: 'row', cells: Object.entries(cells) }
  })
}

/** The states that a summary counts, in this order. */
const COUNTED: readonly ActionState[] = [
  ...(['in effect', 'done', 'queued', 'suspended', 'superseded', 'no target'] as const),
  ...(['not yet valid', 'expired', 'refused'] as const),
]

/**
 * Counts the actions by state, their Jobs, and the nodes that they hold, keep uncordoned or give back; says when the
 * next one expires that holds something.
 */
export function accountOf(
  rows: readonly PlannedAction[],
  jobs = 0,
  leases?: Pick<Leases, 'held' | 'uncordoned' | 'givenBack'>,
): CountLine[] {
  const counted = (count: number, noun: string, words: string): CountLine[] =>
    count === 0 ? [] : [{ kind: 'count', count, noun, words }]
  const valid = rows.filter(({ state }) => state === 'in effect' || state === 'done')
  const next = earliest(valid.flatMap(({ expiresAt }) => expiresAt ?? []))
  const lines = [
    ...COUNTED.flatMap((state) => counted(rows.filter((row) => row.state === state).length, 'action', state)),
    ...counted(leases?.held.size ?? 0, 'node', 'held'),
    ...counted(leases?.uncordoned.size ?? 0, 'node', 'kept uncordoned'),
    ...counted(leases?.givenBack.size ?? 0, 'node', 'given back'),
  ]
  const [last] = lines.slice(-1)
  const ending = last && next && [{ ...last, words: `${last.words}, next expiry ${timeText(next)}` }]
  return [
    { kind: 'count', count: rows.length, noun: 'action' },
    ...(jobs === 0 ? [] : [{ kind: 'count', count: jobs, noun: 'Job' } as const]),
    ...(ending === undefined ? lines : [...lines.slice(0, -1), ...ending]),
  ]
}
