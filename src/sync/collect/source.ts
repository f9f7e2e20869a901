import type { Connection } from '../api/connection.ts'
import type { Reflector, ReflectorOptions } from '../api/reflector.ts'

/** What asks the API server now and then. */
export type Asking = Pick<Connection, 'json'>

/** What to watch, and what to keep of it. */
export type Watching<T> = Pick<ReflectorOptions<T>, 'path' | 'resource' | 'query' | 'trim' | 'keyOf' | 'onChange'>

/** The objects of one resource, kept as they change. */
export type Watched<T> = Pick<Reflector<T>, 'start' | 'isSynced' | 'items'>

/** Makes a watch of a resource; it stands still until it is started. */
export type Watch = <T>(watching: Watching<T>) => Watched<T>
