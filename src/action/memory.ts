import type { Finding } from '../finding/index.ts'
import { namedNodes } from '../inventory/index.ts'
import { LOCAL_CONFIG } from '../krm/annotation.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isTime, timeText } from '../kube/index.ts'
import {
  type ActionRecord,
  isActionRecord,
  isWorkloadSnapshot,
  NODEFIT,
  validate,
  type WorkloadSnapshot,
} from '../policy/index.ts'
import type { Rendered, World } from '../world/index.ts'
import type { Action } from './read-action.ts'

/** What became of an action in the cluster, as a snapshot shows it. */
export type Outcome = NonNullable<WorkloadSnapshot['spec']['outcomes']>[number]

/** What earlier runs did: from the record in the package, and from the outcomes of the cluster where it is hidden. */
export interface Memory {
  /** By field of a target the highest sequence that applied. */
  readonly sequences: ReadonlyMap<string, number>
  /** By id the digests of actions that are done once and for all. */
  readonly done: ReadonlyMap<string, string>
  /** Everything that expired before this time stays expired. */
  readonly expiredUntil?: Date
  /** By id and digest, of this cluster. */
  readonly outcomes: ReadonlyMap<string, Outcome>
}

/** The name of a record's file, beside its policy. */
const FILE = 'actions-record.yaml'

/** Reads what earlier runs did. `earlier` are the objects that the policy rendered before. */
export function readMemory(
  earlier: readonly Item[],
  { items }: World,
  cluster: string,
): { value: Memory; findings: readonly Finding[] } {
  const records = earlier.map(({ object }) => object).filter(isActionRecord)
  const findings = records.flatMap((record) => validate('ActionRecord', record))
  const specs = findings.length > 0 ? [] : records.map((record) => (record as unknown as ActionRecord).spec)
  const outcomes = outcomesOf(items, cluster)
  const sequences = new Map<string, number>()
  const raise = (field: string, sequence: number) => sequences.set(field, Math.max(sequence, sequences.get(field) ?? 0))
  for (const spec of specs) for (const [field, sequence] of Object.entries(spec.sequences ?? {})) raise(field, sequence)
  for (const { fields = [], sequence = 0 } of outcomes.values()) for (const field of fields) raise(field, sequence)
  const finished = [...outcomes.values()].filter(({ state }) => state === 'Succeeded')
  const done = new Map([
    ...finished.map(({ action, digest }) => [action, digest] as const),
    ...specs.flatMap((spec) => Object.entries(spec.done ?? {})),
  ])
  const times = specs.flatMap(({ expiredUntil }) =>
    expiredUntil !== undefined && isTime(expiredUntil) ? [expiredUntil] : [],
  )
  const expiredUntil = latest(times.map((text) => new Date(text)))
  return { value: { sequences, done, outcomes, ...(expiredUntil && { expiredUntil }) }, findings }
}

/** Returns the outcome of an action; one of another action with its id does not count. */
export function outcomeOf({ outcomes }: Memory, { id, digest }: Pick<Action, 'id' | 'digest'>): Outcome | undefined {
  const found = outcomes.get(id)
  return found?.digest === digest ? found : undefined
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

/** Renders the record; undefined where there is nothing to remember. */
export function renderRecord(
  { metadata: { name, namespace } }: KubernetesObject,
  { sequences, done, expiredUntil }: Pick<Memory, 'sequences' | 'done' | 'expiredUntil'>,
): Rendered | undefined {
  if (sequences.size + done.size === 0 && expiredUntil === undefined) return undefined
  const sorted = (map: ReadonlyMap<string, unknown>) =>
    Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
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
      ...(expiredUntil === undefined ? {} : { expiredUntil: timeText(expiredUntil) }),
    },
  }
  return { object, file: FILE, about: 'what may never come back', ...namedNodes([]) }
}

/** Returns the outcomes of a cluster by the id of the action; of several snapshots the newest counts. */
function outcomesOf(items: readonly Item[], cluster: string): Map<string, Outcome> {
  const specs = items
    .filter(({ object }) => isWorkloadSnapshot(object) && validate('WorkloadSnapshot', object).length === 0)
    .map(({ object }) => (object as unknown as WorkloadSnapshot).spec)
    .filter((spec) => spec.cluster === cluster)
    .sort((a, b) => ((a.observedAt ?? '') < (b.observedAt ?? '') ? -1 : 1))
  return new Map(specs.flatMap(({ outcomes = [] }) => outcomes.map((one) => [one.action, one] as const)))
}
