/** What the rest of the controller has of the API server: a connection, lists, watches that never stop, leadership and Events. */
export { type Connection, connect } from './connection.ts'
export { Elector, type ElectorOptions } from './elector.ts'
export { ApiError, Silence, Unreadable } from './errors.ts'
export { type KubeObject, type Listed, type ListOptions, list } from './list.ts'
export { type Happening, postEvent, type Regarding } from './post-event.ts'
export { Reflector, type ReflectorOptions } from './reflector.ts'
export type { Answer, Ask } from './send.ts'
export type { EndReason } from './watch.ts'
