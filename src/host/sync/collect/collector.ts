import type { SnapshotParts } from '../../../facts/inventory/index.ts'
import type { Connection } from '../../cluster/connection.ts'
import type { Reflector, ReflectorOptions } from '../api/reflector.ts'

/** What can be collected besides nodes, as `collect` of a SyncConfig names it. */
export const PART_NAMES = [
  'pods',
  'pending',
  'usage',
  'events',
  'tickets',
  'claims',
  'pools',
  'machines',
  'workloads',
  'capacity',
  'components',
  'actions',
] as const

export type PartName = (typeof PART_NAMES)[number]

/** Collects one part of a WorkloadSnapshot from the cluster. */
export interface Collector {
  readonly name: PartName
  /** Collects until the signal is aborted; never rejects. */
  start(signal: AbortSignal): Promise<void>
  /** Whether the part is known, or the cluster does not serve what it is made of. */
  readonly isSynced: boolean
  /** The part at this time, in milliseconds since 1970. A list that is not known (yet) is absent, never empty. */
  part(now: number): SnapshotParts
}

/** What sends single requests. */
export type JsonClient = Pick<Connection, 'json'>

/** What to watch, and which part of each object to cache. */
export type WatchedResource<T> = Pick<
  ReflectorOptions<T>,
  'path' | 'resource' | 'query' | 'trim' | 'keyOf' | 'onChange'
>

/** The cached objects of one resource. */
export type Informer<T> = Pick<Reflector<T>, 'start' | 'isSynced' | 'items'>

/** Makes the informer of a resource, which is idle until it is started. */
export type MakeInformer = <T>(resource: WatchedResource<T>) => Informer<T>

/**
 * The DaemonSets that policies name as their target, as namespace and name, each with namespace and name of its policy.
 */
export type NamedTargets = ReadonlyMap<string, string>

/** What the collector of usage needs to know of a SizingPolicy. */
export interface UsagePolicy {
  /** Namespace and name of the policies that it was before. */
  readonly formerNames: readonly string[]
  /** The label of pods that tells node groups apart. */
  readonly groupLabel: string
  /** The containers that are sized; undefined where the policy names none. */
  readonly containers?: readonly string[]
  /** The container that is sized where there are several, and none is named. */
  readonly mainContainer: string
  /** The containers with a variable that is made of their limit of memory; '' is the only one. */
  readonly heaps: readonly string[]
}

/** By namespace and name of the policy. */
export type UsagePolicies = ReadonlyMap<string, UsagePolicy>
