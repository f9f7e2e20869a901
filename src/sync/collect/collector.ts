import type { SnapshotParts } from '../../inventory/index.ts'
import type { Connection } from '../api/connection.ts'
import type { Reflector, ReflectorOptions } from '../api/reflector.ts'

/** What is collected beside nodes, on request; the names that a configuration uses. */
export const COLLECTED = ['pods', 'usage', 'events', 'tickets', 'claims'] as const

export type PartName = (typeof COLLECTED)[number]

/** Watches one thing in the cluster, and says it as a part of a WorkloadSnapshot. */
export interface Collector {
  readonly name: PartName
  /** Collects until the signal is aborted; never rejects. */
  start(signal: AbortSignal): Promise<void>
  /** Whether it knows what it is asked for, or that nobody can know it, since the cluster does not serve it. */
  readonly isSynced: boolean
  /** What it knows at this time, in milliseconds since 1970: what it does not know, or not yet, is absent, and never empty. */
  part(now: number): SnapshotParts
}

/** What asks the API server now and then. */
export type Asking = Pick<Connection, 'json'>

/** What to watch, and what to keep of it. */
export type Watching<T> = Pick<ReflectorOptions<T>, 'path' | 'resource' | 'query' | 'trim' | 'keyOf' | 'onChange'>

/** The objects of one resource, kept as they change. */
export type Watched<T> = Pick<Reflector<T>, 'start' | 'isSynced' | 'items'>

/** Makes a watch of a resource; it stands still until it is started. */
export type Watch = <T>(watching: Watching<T>) => Watched<T>
