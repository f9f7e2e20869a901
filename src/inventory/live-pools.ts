import type { Read, Subject } from '../finding/index.ts'
import type { WorkloadSnapshot } from '../policy/index.ts'
import { duplicateFindings, timeFindings, timeOf } from './live-checks.ts'

type Entry<Part extends 'claims' | 'pools' | 'machines'> = NonNullable<WorkloadSnapshot['spec'][Part]>[number]

/** An entry of a part with its times parsed and its namespace given. */
type LiveEntry<T, Times extends string> = Omit<T, Times | 'namespace' | 'deleting'> & { readonly namespace: string } & {
  readonly [Name in Times]?: Date
} & { readonly isDeleting: boolean }

/** A NodeSmithClaim as it is in the cluster. */
export type LiveClaim = LiveEntry<Entry<'claims'>, 'createdAt' | 'openedAt'>

/** A NodeSmithPool as it is in the cluster. */
export type LivePool = LiveEntry<Entry<'pools'>, 'lastScaleActivity'>

/** A Machine or MachineDeployment of Cluster API as it is in the cluster. */
export type LiveMachine = LiveEntry<Entry<'machines'>, 'createdAt'>

/** Reads the claims of a snapshot; without a value the snapshot does not record them. */
export function readClaims(subject: Subject, { claims }: WorkloadSnapshot['spec']): Read<LiveClaim[]> {
  return readEntries(subject, 'claims', claims, ['createdAt', 'openedAt'])
}

/** Reads the pools of a snapshot; without a value the snapshot does not record them. */
export function readPools(subject: Subject, { pools }: WorkloadSnapshot['spec']): Read<LivePool[]> {
  return readEntries(subject, 'pools', pools, ['lastScaleActivity'])
}

/** Reads the machines of a snapshot; without a value the snapshot does not record them. */
export function readMachines(subject: Subject, { machines }: WorkloadSnapshot['spec']): Read<LiveMachine[]> {
  return readEntries(subject, 'machines', machines, ['createdAt'], ({ kind = 'Machine' }) => `${kind} `)
}

function readEntries<
  T extends { name: string; namespace?: string; deleting?: boolean },
  Times extends keyof T & string,
>(
  subject: Subject,
  part: string,
  entries: readonly T[] | undefined,
  times: readonly Times[],
  kindText: (entry: T) => string = () => '',
): Read<Array<LiveEntry<T, Times>>> {
  if (entries === undefined) return { findings: [] }
  const names = entries.map((entry) => `${kindText(entry)}${entry.namespace ?? ''}/${entry.name}`)
  const malformed = [
    ...entries.flatMap((entry, index) => timeFindings(subject, entry, times, `spec.${part}.${index}`)),
    ...duplicateFindings(subject, part, names),
  ]
  if (malformed.length > 0) return { findings: malformed }
  const value = entries.map(({ deleting, namespace = '', ...entry }) => ({
    ...entry,
    namespace,
    ...Object.fromEntries(times.map((name) => [name, timeOf((entry as Record<string, unknown>)[name] as string)])),
    isDeleting: deleting === true,
  }))
  return { value: value as unknown as Array<LiveEntry<T, Times>>, findings: [] }
}
