import { aheadFinding, memo, type Rendered, type World } from '../../core/index.ts'
import { isSameUid, namedNodes } from '../../facts/inventory/index.ts'
import {
  type ActionRecord,
  isActionRecord,
  isWorkloadSnapshot,
  NODEFIT,
  validate,
  type WorkloadSnapshot,
} from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { LOCAL_CONFIG } from '../../krm/identity.ts'
import { type Mapping, setMember } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isTime, timeText } from '../../kube/index.ts'
import type { Action } from './read-action.ts'

/** What became of an action in the cluster, as a snapshot shows it. */
export type Outcome = NonNullable<WorkloadSnapshot['spec']['outcomes']>[number]

/** The outcomes of a cluster. */
export interface Outcomes {
  /** When the newest snapshot with outcomes was taken; undefined where none has them. */
  readonly at?: Date
  readonly all: readonly Outcome[]
  /** By id and digest. */
  readonly byAction: ReadonlyMap<string, Outcome>
}

/** What earlier runs did: from the record in the package, and from the outcomes of the cluster where it is hidden. */
export interface Memory {
  /** By field of a target the highest sequence that applied. */
  readonly sequences: ReadonlyMap<string, number>
  /** By id the digests of actions that are done once and for all. */
  readonly done: ReadonlyMap<string, string>
  /** What outcomes show without a time until which it is remembered: it is remembered as long as they show it. */
  readonly untimed: ReadonlySet<string>
  /** By field or id until when it is remembered. */
  readonly keepUntil: ReadonlyMap<string, Date>
  /** Everything that expired before this time stays expired. */
  readonly expiredUntil?: Date
  /** Acts that expire before this time may have been done and forgotten, and are never begun. */
  readonly spentUntil?: Date
  /** When `spentUntil` was found to be later than the clock: what is issued after it was not forgotten. */
  readonly setBackAt?: Date
  readonly outcomes: Outcomes
}

/** The name of a record's file, beside its policy. */
const FILE = 'actions-record.yaml'
/** States of an act that is never done again: it succeeded, or its Job was taken away after it had begun. */
const FINISHED = ['Succeeded', 'Ended']

/** Reads what earlier runs did. `earlier` are the objects that the policy rendered before. */
export function readMemory(
  earlier: readonly Item[],
  { items, clusterUid, clock, now }: World,
  cluster: string,
): { value: Memory; findings: readonly Finding[] } {
  const records = earlier.map(({ object }) => object).filter(isActionRecord)
  const findings = records.flatMap((record) => validate('ActionRecord', record))
  const specs = findings.length > 0 ? [] : records.map((record) => (record as unknown as ActionRecord).spec)
  const outcomes = outcomesOf(items, cluster, clusterUid(cluster))
  const sequences = new Map<string, number>()
  const keepUntil = new Map<string, Date>()
  const untimed = new Set<string>()
  const keep = (key: string, text: string | undefined) => {
    const time = latest([keepUntil.get(key), text !== undefined && isTime(text) ? new Date(text) : undefined])
    if (time !== undefined) keepUntil.set(key, time)
  }
  const raise = (field: string, sequence: number) => sequences.set(field, Math.max(sequence, sequences.get(field) ?? 0))
  for (const spec of specs) {
    for (const [field, sequence] of Object.entries(spec.sequences ?? {})) raise(field, sequence)
    for (const [key, text] of Object.entries(spec.keepUntil ?? {})) keep(key, text)
  }
  for (const { fields = [], sequence = 0, keepUntil: text } of outcomes.all)
    for (const field of fields) {
      raise(field, sequence)
      keep(field, text)
      if (text === undefined) untimed.add(field)
    }
  const finished = outcomes.all.filter(({ state }) => FINISHED.includes(state))
  for (const { action, keepUntil: text } of finished) {
    keep(action, text)
    if (text === undefined) untimed.add(action)
  }
  const done = new Map([
    ...finished.map(({ action, digest }) => [action, digest] as const),
    ...specs.flatMap((spec) => Object.entries(spec.done ?? {})),
  ])
  const times = specs.flatMap(({ expiredUntil }) =>
    expiredUntil !== undefined && isTime(expiredUntil) ? [expiredUntil] : [],
  )
  const recorded = latest(times.map((text) => new Date(text)))
  const isLate = recorded !== undefined && clock !== undefined && recorded > clock
  const expiredUntil = isLate ? now : recorded
  const spent = specs.flatMap(({ spentUntil: text }) => (text !== undefined && isTime(text) ? [new Date(text)] : []))
  const spentUntil = latest([...spent, isLate ? recorded : undefined])
  const setBack = specs.flatMap(({ setBackAt: text }) => (text !== undefined && isTime(text) ? [new Date(text)] : []))
  const setBackAt = latest([...setBack, isLate ? clock : undefined])
  const [record] = records
  const late = isLate && record !== undefined ? [aheadFinding(record, 'spec.expiredUntil', recorded, clock)] : []
  const value = { sequences, done, untimed, keepUntil, outcomes: notAfter(outcomes, clock) }
  return {
    value: {
      ...value,
      ...(expiredUntil && { expiredUntil }),
      ...(spentUntil && { spentUntil, ...(setBackAt && { setBackAt }) }),
    },
    findings: [...findings, ...late],
  }
}

/** Outcomes as of no later time than the clock. */
function notAfter(outcomes: Outcomes, clock: Date | undefined): Outcomes {
  const isLate = clock !== undefined && outcomes.at !== undefined && outcomes.at > clock
  return isLate ? { ...outcomes, at: clock } : outcomes
}

/**
 * Whether an action may have been done and forgotten: a run that took a later time for the present forgot everything
 * that had expired by then. What is issued after the time was set back is not.
 */
export function isSpent({ spentUntil, setBackAt, done }: Memory, { id, issuedAt, expiresAt }: Action): boolean {
  const isNew = setBackAt !== undefined && issuedAt > setBackAt
  return spentUntil !== undefined && expiresAt <= spentUntil && !isNew && !done.has(id)
}

/** Returns the outcome of an action; one of another action with its id does not count. */
export function outcomeOf({ outcomes }: Memory, { id, digest }: Pick<Action, 'id' | 'digest'>): Outcome | undefined {
  return outcomes.byAction.get(`${id} ${digest}`)
}

/** Whether an action is done and never done again. */
export function isDone({ done }: Memory, { id, digest }: Pick<Action, 'id' | 'digest'>): boolean {
  return done.get(id) === digest
}

/** Returns the latest of some times. */
export function latest(times: ReadonlyArray<Date | undefined>): Date | undefined {
  return times.reduce(
    (found, time) => (found === undefined || (time !== undefined && time > found) ? time : found),
    undefined,
  )
}

/**
 * Forgets what cannot matter any more. An entry is kept until every action that it keeps away has expired: the time of
 * the run may never be earlier again. One without a time, or of an outcome without one, is kept for `lifetime`
 * milliseconds twice: so long an action may be valid that was issued before the one that made the entry expired.
 */
export function forgetOld(
  known: Pick<Memory, 'sequences' | 'done' | 'untimed' | 'keepUntil' | 'expiredUntil' | 'spentUntil' | 'setBackAt'>,
  now: Date,
  lifetime: number,
): Pick<Memory, 'sequences' | 'done' | 'keepUntil' | 'expiredUntil' | 'spentUntil' | 'setBackAt'> {
  const { sequences, done, untimed, keepUntil, expiredUntil, spentUntil, setBackAt } = known
  const timeOf = (key: string) => {
    const time = keepUntil.get(key)
    const isOver = time === undefined || (untimed.has(key) && time <= now)
    return isOver ? new Date(now.getTime() + 2 * lifetime) : time
  }
  const times = new Map([...sequences.keys(), ...done.keys()].map((key) => [key, timeOf(key)]))
  const isKept = ([key]: readonly [string, unknown]) => (times.get(key) ?? now) > now
  const gone = [...times].filter((entry) => !isKept(entry)).map(([, time]) => time)
  return {
    sequences: new Map([...sequences].filter(isKept)),
    done: new Map([...done].filter(isKept)),
    keepUntil: new Map([...times].filter(isKept)),
    expiredUntil: latest([expiredUntil, ...gone]),
    ...(spentUntil !== undefined && spentUntil > now ? { spentUntil, ...(setBackAt && { setBackAt }) } : {}),
  }
}

/** Renders the record; undefined where there is nothing to remember. */
export function renderRecord(
  { metadata: { name, namespace } }: KubernetesObject,
  known: Pick<Memory, 'sequences' | 'done' | 'keepUntil' | 'expiredUntil' | 'spentUntil' | 'setBackAt'>,
): Rendered | undefined {
  const { sequences, done, keepUntil, expiredUntil, spentUntil, setBackAt } = known
  if (sequences.size + done.size === 0 && (expiredUntil ?? spentUntil) === undefined) return undefined
  const textOf = memo((time: number) => timeText(time))
  const times = new Map([...keepUntil].map(([key, time]) => [key, textOf(time.getTime())]))
  const object = {
    apiVersion: NODEFIT,
    kind: 'ActionRecord',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      annotations: { [LOCAL_CONFIG]: 'true' },
    },
    spec: {
      ...(sequences.size === 0 ? {} : { sequences: sorted(sequences) }),
      ...(done.size === 0 ? {} : { done: sorted(done) }),
      ...(times.size === 0 ? {} : { keepUntil: sorted(times) }),
      ...(expiredUntil === undefined ? {} : { expiredUntil: timeText(expiredUntil) }),
      ...(spentUntil === undefined ? {} : { spentUntil: timeText(spentUntil) }),
      ...(setBackAt === undefined ? {} : { setBackAt: timeText(setBackAt) }),
    },
  }
  return { object, file: FILE, about: 'what may never come back', ...namedNodes([]) }
}

function sorted(map: ReadonlyMap<string, unknown>): Mapping {
  const members: Mapping = {}
  for (const key of [...map.keys()].sort()) setMember(members, key, map.get(key))
  return members
}

/** Returns the outcomes of a cluster; of several snapshots the newest counts. */
function outcomesOf(items: readonly Item[], cluster: string, clusterUid: string | undefined): Outcomes {
  const specs = items
    .filter(({ object }) => isWorkloadSnapshot(object) && validate('WorkloadSnapshot', object).length === 0)
    .map(({ object }) => (object as unknown as WorkloadSnapshot).spec)
    .filter((spec) => spec.cluster === cluster && isSameUid(spec.clusterUid, clusterUid))
    .filter(({ outcomes }) => outcomes !== undefined)
    .sort((a, b) => ((a.observedAt ?? '') < (b.observedAt ?? '') ? -1 : 1))
  const byAction = new Map(
    specs.flatMap(({ outcomes = [] }) => outcomes.map((one) => [`${one.action} ${one.digest}`, one] as const)),
  )
  const text = specs.at(-1)?.observedAt
  return {
    all: [...byAction.values()],
    byAction,
    ...(text !== undefined && isTime(text) ? { at: new Date(text) } : {}),
  }
}
