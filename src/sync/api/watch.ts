import type { Connection } from './connection.ts'
import { textOf } from './connection.ts'
import { ApiError, errorOf, Silence, Unreadable } from './errors.ts'
import { linesOf } from './lines.ts'
import type { KubeObject } from './list.ts'

/**
 * Why a watch, or the list before it, ended: `ended` by the server in its time, `expired` version, `error` event or answer of the server,
 * `throttled`, `denied`, `silence`, `unreadable` line or answer, `connection`; `missed` where a list had what the watch had not.
 */
export type EndReason =
  | 'ended'
  | 'expired'
  | 'error'
  | 'throttled'
  | 'denied'
  | 'silence'
  | 'unreadable'
  | 'connection'
  | 'missed'

/** How a watch ended, with the words of what ended it. */
export interface WatchEnd {
  readonly reason: EndReason
  readonly message?: string
  /** Milliseconds that the server asks to wait. */
  readonly retryAfter?: number
}

export interface WatchOptions {
  readonly resourceVersion: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Seconds after which the server ends the watch. */
  readonly seconds: number
  /** Milliseconds without a byte after which the connection counts as dead; bookmarks come about every minute. */
  readonly silence: number
  readonly signal: AbortSignal
  readonly onOpen: () => void
  /** Told of every change, in order; `version` is where a watch goes on from after it. */
  readonly onEvent: (type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', object: KubeObject, version: string) => void
}

/** One watch from its first to its last line. It never rejects: every way to end is data, an abort too (as `ended`). */
export async function watch(connection: Connection, path: string, options: WatchOptions): Promise<WatchEnd> {
  const { query, resourceVersion, seconds, silence, signal, onOpen, onEvent } = options
  try {
    const answer = await connection.request({
      path,
      query: { ...query, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds: seconds },
      signal,
      timeout: silence,
    })
    if (answer.status !== 200) throw errorOf(answer.status, await textOf(answer), answer.headers['retry-after'])
    onOpen()
    for await (const line of linesOf(answer.body)) {
      if (line === '') continue
      const { type, object, version } = eventOf(line)
      onEvent(type, object, version)
    }
    return { reason: 'ended' }
  } catch (error) {
    return signal.aborted ? { reason: 'ended' } : endOf(error)
  }
}

/** The end that an error makes. */
export function endOf(error: unknown): WatchEnd {
  const message = wordsOf(error)
  if (error instanceof Silence) return { reason: 'silence', message }
  if (error instanceof Unreadable) return { reason: 'unreadable', message }
  if (!(error instanceof ApiError)) return { reason: 'connection', message }
  const { status, retryAfter } = error
  if (error.isExpired) return { reason: 'expired', message, retryAfter }
  if (status === 401 || status === 403) return { reason: 'denied', message, retryAfter }
  return { reason: status === 429 ? 'throttled' : 'error', message, retryAfter }
}

/** An error of the network has its words in a code, or in the first of several. */
function wordsOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: unknown[] }
  if (message !== undefined && message !== '') return message
  return errors?.[0] === undefined ? (code ?? String(error)) : wordsOf(errors[0])
}

const TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const

function eventOf(line: string): { type: (typeof TYPES)[number]; object: KubeObject; version: string } {
  const event = parsed(line)
  if (event?.type === 'ERROR') throw errorOf(500, JSON.stringify(event.object ?? null))
  const type = TYPES.find((one) => one === event?.type)
  const version = event?.object?.metadata?.resourceVersion
  if (type === undefined || event?.object === undefined || version === undefined)
    throw new Unreadable(`a line of the watch is no event: ${line.slice(0, 80)}`)
  return { type, object: event.object, version }
}

function parsed(line: string): { type?: string; object?: KubeObject } | null {
  try {
    return JSON.parse(line) as { type?: string; object?: KubeObject } | null
  } catch {
    throw new Unreadable(`a line of the watch is no JSON: ${line.slice(0, 80)}`)
  }
}
