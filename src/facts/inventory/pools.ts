import type { WorkloadSnapshot } from '../../kinds/index.ts'
import type { Read, Subject } from '../../krm/finding.ts'
import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { OPENED, OWNER } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  byName,
  duplicateFindings,
  exactInteger,
  filledText,
  invalidEntry,
  present,
  timeFindings,
  timeOf,
  validTime,
} from './live-checks.ts'

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

/** An entry of the claims of a WorkloadSnapshot: one NodeSmithClaim, or several with what they have in common. */
export type SnapshotClaims = NonNullable<WorkloadSnapshot['spec']['claims']>[number]

type OwnFields = NonNullable<SnapshotClaims['claims']>[number]

/** A NodeSmithClaim, and what it has in common with others. */
export type ClaimEntry = { readonly like: Omit<SnapshotClaims, 'claims' | keyof OwnFields>; readonly claim: OwnFields }

/**
 * Converts a NodeSmithClaim to an entry of a WorkloadSnapshot. Malformed fields are left out, and so is the name of its
 * node where it is that of the claim, as KubeNodeSmith names machines.
 */
export function claimEntry({ metadata, spec, status }: KubernetesObject): ClaimEntry {
  const { creationTimestamp, deletionTimestamp, annotations } = metadata
  const asked = memberOf(spec, 'requirements')
  const nodeName = filledText(memberOf(status, 'nodeName'))
  return {
    like: present({
      namespace: filledText(metadata.namespace),
      poolRef: filledText(memberOf(spec, 'poolRef')),
      requirements: isMap(asked)
        ? present({ cpuCores: exactInteger(asked.cpuCores), memoryMiB: exactInteger(asked.memoryMiB) })
        : undefined,
      deleting: typeof deletionTimestamp === 'string' ? true : undefined,
      ready: condition(status, 'Ready'),
      failed: condition(status, 'Failed'),
      owner: filledText(annotations?.[OWNER]),
      terminationGracePeriod: filledText(memberOf(spec, 'terminationGracePeriod')),
    }) as ClaimEntry['like'],
    claim: present({
      name: metadata.name,
      nodeName: nodeName === metadata.name ? undefined : nodeName,
      createdAt: validTime(creationTimestamp),
      openedAt: validTime(annotations?.[OPENED]),
      idempotencyKey: filledText(memberOf(spec, 'idempotencyKey')),
    }) as ClaimEntry['claim'],
  }
}

/** Folds claims that have all but their names and times in common. The order of the claims changes nothing. */
export function foldClaims(claims: Iterable<ClaimEntry>): SnapshotClaims[] {
  const lots = new Map<string, { readonly like: ClaimEntry['like']; readonly claims: OwnFields[] }>()
  for (const { like, claim } of claims) {
    const key = JSON.stringify(like)
    const lot = lots.get(key)
    if (lot === undefined) lots.set(key, { like, claims: [claim] })
    else lot.claims.push(claim)
  }
  const sorted = [...lots.values()].map(({ like, claims: own }) => ({ like, claims: own.sort(byName) }))
  // claims of several namespaces may have one name
  const firstOf = ({ like, claims: [first] }: (typeof sorted)[number]) => ({
    ...{ namespace: like.namespace, name: first?.name ?? '' },
  })
  return sorted
    .sort((a, b) => byName(firstOf(a), firstOf(b)))
    .map(({ like, claims: own }) => ({ ...like, claims: own }))
}

/** Returns the claims of an entry, each with its path below `claims`; one may lack its name. */
export function unfoldClaims(
  entries: readonly SnapshotClaims[],
): Array<{ readonly path: string; readonly entry: Omit<SnapshotClaims, 'claims'> }> {
  return entries.flatMap(({ claims, ...entry }, at) =>
    claims === undefined
      ? [{ path: `claims.${at}`, entry }]
      : claims.map((one, index) => ({ path: `claims.${at}.claims.${index}`, entry: { ...entry, ...one } })),
  )
}

/** Returns the status of a condition; undefined if it is missing or Unknown. */
function condition(status: unknown, type: string): boolean | undefined {
  const found = listOf(memberOf(status, 'conditions')).find((one) => memberOf(one, 'type') === type)
  const value = memberOf(found, 'status')
  return value === 'True' ? true : value === 'False' ? false : undefined
}

/** A NodeSmithPool of a WorkloadSnapshot. */
export type SnapshotPool = NonNullable<WorkloadSnapshot['spec']['pools']>[number]

/** A Machine or MachineDeployment of a WorkloadSnapshot. */
export type SnapshotMachine = NonNullable<WorkloadSnapshot['spec']['machines']>[number]

const OWNER_LABEL = 'cluster.x-k8s.io/deployment-name'
const DELETE_MARK = 'cluster.x-k8s.io/delete-machine'
const LIMITS = ['minNodes', 'maxNodes', 'cpuCores', 'memoryMiB'] as const

/** Converts NodeSmithPools to entries of a WorkloadSnapshot, sorted by name. Malformed fields are left out. */
export function snapshotPools(pools: readonly KubernetesObject[]): SnapshotPool[] {
  return pools
    .map(({ metadata, spec, status }) => {
      const limits = memberOf(spec, 'limits')
      const amounts = LIMITS.map((name) => [name, exactInteger(memberOf(limits, name))] as const)
      return {
        namespace: filledText(metadata.namespace),
        name: metadata.name,
        limits: isMap(limits) ? present(Object.fromEntries(amounts)) : undefined,
        lastScaleActivity: validTime(memberOf(status, 'lastScaleActivity')),
        nextClaimSequence: exactInteger(memberOf(status, 'nextClaimSequence')),
        deleting: typeof metadata.deletionTimestamp === 'string' ? true : undefined,
      }
    })
    .map((entry) => present(entry) as SnapshotPool)
    .sort(byName)
}

/** The label that nodes of a pool have, unless its poolLabelKey names another one. */
const POOL_LABEL = 'topology.kubenodesmith.io/pool'

/** Returns the label keys of the nodes of NodeSmithPools: those of their machine templates, and that of the pool. */
export function poolLabelKeys(pools: readonly KubernetesObject[]): string[] {
  const keys = pools.flatMap(({ spec }) => {
    const labels = memberOf(memberOf(spec, 'machineTemplate'), 'labels')
    return [filledText(memberOf(spec, 'poolLabelKey')) ?? POOL_LABEL, ...(isMap(labels) ? Object.keys(labels) : [])]
  })
  return [...new Set(keys)].sort()
}

/**
 * Converts Machines and MachineDeployments of Cluster API to entries of a WorkloadSnapshot, sorted by name. Malformed
 * fields are left out.
 */
export function snapshotMachines(machines: readonly KubernetesObject[]): SnapshotMachine[] {
  return machines
    .map(({ kind, metadata, spec, status }) => {
      const isMachine = kind === 'Machine'
      const { labels, annotations } = metadata
      return {
        kind: isMachine ? undefined : kind,
        namespace: filledText(metadata.namespace),
        name: metadata.name,
        owner: isMachine ? filledText(labels?.[OWNER_LABEL]) : undefined,
        replicas: isMachine ? undefined : exactInteger(memberOf(spec, 'replicas')),
        nodeName: filledText(memberOf(memberOf(status, 'nodeRef'), 'name')),
        createdAt: validTime(metadata.creationTimestamp),
        failed: isMachine && memberOf(status, 'phase') === 'Failed' ? true : undefined,
        deleting: typeof metadata.deletionTimestamp === 'string' ? true : undefined,
        marked: isMachine && annotations?.[DELETE_MARK] !== undefined ? true : undefined,
      }
    })
    .map((entry) => present(entry) as SnapshotMachine)
    .sort((a, b) => byName(a, b) || ((a.kind ?? '') < (b.kind ?? '') ? -1 : 1))
}
