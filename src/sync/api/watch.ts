import { StringDecoder } from 'node:string_decoder'
import { type Connection, textOf } from './connection.ts'
import { endOf, errorOf, Unreadable, type WatchEnd } from './errors.ts'
import type { KubeObject } from './list.ts'

/** Characters of a line beyond which it is no object of Kubernetes: etcd takes 1.5 MB. */
const LONGEST = 1 << 24

/** The lines of a body as they arrive, without what follows the last line break; rejects for a line without an end. */
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
    if (rest.length > LONGEST) throw new Unreadable('a line of the watch does not end')
  }
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
