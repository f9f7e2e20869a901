import { StringDecoder } from 'node:string_decoder'
import { bodyText, type Connection } from '../../cluster/connection.ts'
import { apiErrorOf, MalformedResponseError, type WatchEnd, watchEndOf } from '../../cluster/errors.ts'
import type { KubeObject } from '../../cluster/list.ts'

const EVENT_TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const

/** One event of a watch; the watch can be resumed after it from `version`. */
interface WatchEvent {
  readonly type: (typeof EVENT_TYPES)[number]
  readonly object: KubeObject
  readonly version: string
}

export interface WatchOptions {
  readonly resourceVersion: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds: number
  /** Milliseconds without a byte after which the connection counts as dead; bookmarks come about every minute. */
  readonly idleTimeout: number
  readonly signal: AbortSignal
  readonly onOpen: () => void
  /** Called for every event, in order. */
  readonly onEvent: (event: WatchEvent) => void
}

/**
 * Watches a resource until the watch ends. Never rejects: the result says why it ended, also after an abort (`ended`).
 */
export async function watch(connection: Connection, path: string, options: WatchOptions): Promise<WatchEnd> {
  const { query, resourceVersion, timeoutSeconds, idleTimeout, signal, onOpen, onEvent } = options
  try {
    const response = await connection.request({
      path,
      query: { ...query, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds },
      signal,
      timeout: idleTimeout,
    })
    const { status, headers } = response
    if (status !== 200) throw apiErrorOf(status, await bodyText(response), headers['retry-after'])
    onOpen()
    for await (const line of linesOf(response.body)) if (line !== '') onEvent(parseEvent(line))
    return { reason: 'ended' }
  } catch (error) {
    return signal.aborted ? { reason: 'ended' } : watchEndOf(error)
  }
}

/** Characters of a line beyond which it is no Kubernetes object: etcd stores at most 1.5 MB. */
const MAX_LINE = 1 << 24

/** The complete lines of a body as they arrive; rejects with `MalformedResponseError` for a line that does not end. */
export async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const part of body) {
    const pieces = decoder.write(part).split('\n')
    for (const piece of pieces.slice(0, -1)) {
      yield rest + piece
      rest = ''
    }
    rest += pieces.at(-1) ?? ''
    if (rest.length > MAX_LINE)
      throw new MalformedResponseError(`a line of the watch is longer than ${MAX_LINE} characters`)
  }
}

function parseEvent(line: string): WatchEvent {
  const event = parseJson(line)
  if (event?.type === 'ERROR') throw apiErrorOf(500, JSON.stringify(event.object ?? null))
  const type = EVENT_TYPES.find((known) => known === event?.type)
  const version = event?.object?.metadata?.resourceVersion
  if (type === undefined || event?.object === undefined || version === undefined)
    throw new MalformedResponseError(`a line of the watch is not a watch event: ${line.slice(0, 80)}`)
  return { type, object: event.object, version }
}

function parseJson(line: string): { type?: string; object?: KubeObject } | null {
  try {
    return JSON.parse(line) as { type?: string; object?: KubeObject } | null
  } catch {
    throw new MalformedResponseError(`a line of the watch is not JSON: ${line.slice(0, 80)}`)
  }
}
