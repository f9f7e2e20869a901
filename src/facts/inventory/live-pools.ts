import type { WorkloadSnapshot } from '../../kinds/index.ts'
import type { Read, Subject } from '../../krm/finding/index.ts'
import { duplicateFindings, invalidEntry, timeFindings, timeOf } from './live-checks.ts'
import { type SnapshotClaims, unfoldClaims } from './write-claims.ts'

type Entry<Part extends 'pools' | 'machines'> = NonNullable<WorkloadSnapshot['spec'][Part]>[number]

/** An entry of a part with its times parsed and its namespace given. */
type LiveEntry<T, Times extends string> = Omit<T, Times | 'namespace' | 'deleting'> & { readonly namespace: string } & {
  readonly [Name in Times]?: Date
} & { readonly isDeleting: boolean }

/** A NodeSmithClaim as it is in the cluster. Its node has its name where none is given. */
export type LiveClaim = LiveEntry<SnapshotClaim, 'createdAt' | 'openedAt'>

type SnapshotClaim = Omit<SnapshotClaims, 'claims' | 'name'> & { readonly name: string }

/** A NodeSmithPool as it is in the cluster. */
export type LivePool = LiveEntry<Entry<'pools'>, 'lastScaleActivity'>

/** A Machine or MachineDeployment of Cluster API as it is in the cluster. */
export type LiveMachine = LiveEntry<Entry<'machines'>, 'createdAt'>

/** Reads the claims of a snapshot; without a value the snapshot does not record them. */
export function readClaims(subject: Subject, { claims }: WorkloadSnapshot['spec']): Read<LiveClaim[]> {
  const all = claims && unfoldClaims(claims)
  const nameless = all?.find(({ entry }) => entry.name === undefined)
  if (nameless !== undefined)
    return { findings: [invalidEntry(subject, `spec.${nameless.path}.name`, undefined, (at) => `${at} is missing`)] }
  const named = all as ReadonlyArray<{ readonly path: string; readonly entry: SnapshotClaim }> | undefined
  return readListed(subject, 'claims', named, ['createdAt', 'openedAt'])
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
  kindText?: (entry: T) => string,
): Read<Array<LiveEntry<T, Times>>> {
  const listed = entries?.map((entry, index) => ({ path: `${part}.${index}`, entry }))
  return readListed(subject, part, listed, times, kindText)
}

function readListed<T extends { name: string; namespace?: string; deleting?: boolean }, Times extends keyof T & string>(
  subject: Subject,
  part: string,
  listed: ReadonlyArray<{ readonly path: string; readonly entry: T }> | undefined,
  times: readonly Times[],
  kindText: (entry: T) => string = () => '',
): Read<Array<LiveEntry<T, Times>>> {
  if (listed === undefined) return { findings: [] }
  const names = listed.map(({ entry }) => `${kindText(entry)}${entry.namespace ?? ''}/${entry.name}`)
  const malformed = [
    ...listed.flatMap(({ path, entry }) => timeFindings(subject, entry, times, `spec.${path}`)),
    ...duplicateFindings(subject, part, names),
  ]
  if (malformed.length > 0) return { findings: malformed }
  const value = listed.map(({ entry: { deleting, namespace = '', ...entry } }) => ({
    ...entry,
    namespace,
    ...Object.fromEntries(times.map((name) => [name, timeOf((entry as Record<string, unknown>)[name] as string)])),
    isDeleting: deleting === true,
  }))
  return { value: value as unknown as Array<LiveEntry<T, Times>>, findings: [] }
}
