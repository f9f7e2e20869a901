import { hostname } from 'node:os'
import type { Connection } from '../../cluster/connection.ts'
import { ApiError, watchEndOf } from '../../cluster/errors.ts'
import type { EngineContext } from '../context.ts'
import { microTime } from './elector.ts'

/** The object that an Event is about. */
export interface ObjectReference {
  readonly apiVersion?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

/** An Event to be written. */
export interface EventDraft {
  /** The namespace of the Event: that of the object it is about, `default` for one without a namespace. */
  readonly namespace: string
  readonly regarding: ObjectReference
  readonly type: 'Normal' | 'Warning'
  /** Why, as one CamelCase word for programs. */
  readonly reason: string
  /** What happened, for people. */
  readonly note: string
  /** What was done or tried, as one CamelCase word. Default: `Sync`. */
  readonly action?: string
}

interface Series {
  readonly name: string
  count: number
  writtenAt: number
}

/** Limits of the API server: bytes of a note, characters of the other texts. */
const MAX_NOTE = 1024
const MAX_TEXT = 128
/** A token bucket: as many Events at once, and one more after each interval. */
const BURST = 20
const REFILL_INTERVAL = 30_000
/** The least time between two writes of one series. */
const SERIES_INTERVAL = 60_000
/** A series without a repetition for this long is a new one: the API server deletes Events after an hour. */
const SERIES_LIFETIME = 1_800_000
const MAX_SERIES = 100

const recorders = new WeakMap<Connection, Recorder>()

/**
 * Writes an Event, which `kubectl get events` shows. Repetitions are counted in one Event, written once a minute at
 * most; more than a few Events in a short time are dropped. Where the API server refuses an Event, one line of the log
 * says so. Resolves when the API server has responded; never rejects.
 */
export function postEvent(connection: Connection, draft: EventDraft, context: EventContext): Promise<void> {
  const recorder = recorders.get(connection) ?? new Recorder(connection, context)
  recorders.set(connection, recorder)
  return recorder.record(draft)
}

type EventContext = Pick<EngineContext, 'clock' | 'log'>

/** The Events of one connection. */
class Recorder {
  readonly #connection: Connection
  readonly #context: EventContext
  readonly #series = new Map<string, Series>()
  #tokens = BURST
  #refilledAt: number | undefined
  #number = 0
  #loggedError = ''

  constructor(connection: Connection, context: EventContext) {
    this.#connection = connection
    this.#context = context
  }

  async record(draft: EventDraft): Promise<void> {
    const { clock, log } = this.#context
    const now = clock.now()
    try {
      const key = JSON.stringify(draft)
      const series = this.#series.get(key)
      if (series === undefined || now - series.writtenAt > SERIES_LIFETIME) return await this.#create(key, draft)
      series.count++
      if (now - series.writtenAt >= SERIES_INTERVAL && this.#takeToken(now)) await this.#repeat(key, series, draft)
    } catch (error) {
      const text = watchEndOf(error).message ?? ''
      if (text !== this.#loggedError)
        log.warn('cannot write an Event: check the Role of nodefit sync in its namespace', {
          reason: draft.reason,
          error: text,
        })
      this.#loggedError = text
    }
  }

  async #create(key: string, { namespace, regarding, type, reason, note, action }: EventDraft): Promise<void> {
    const now = this.#context.clock.now()
    if (!this.#takeToken(now)) return
    const name = `nodefit-sync.${now.toString(16)}${(this.#number++ % 0x1000).toString(16).padStart(3, '0')}`
    this.#remember(key, { name, count: 1, writtenAt: now })
    await this.#connection.json({
      method: 'POST',
      path: eventsPath(namespace),
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name, namespace },
        eventTime: microTime(now),
        reportingController: 'nodefit.dev/sync',
        reportingInstance: hostname().slice(0, MAX_TEXT) || 'nodefit-sync',
        action: (action ?? 'Sync').slice(0, MAX_TEXT),
        reason: reason.slice(0, MAX_TEXT),
        note: truncateBytes(note, MAX_NOTE),
        type,
        regarding,
      },
    })
  }

  async #repeat(key: string, series: Series, draft: EventDraft): Promise<void> {
    series.writtenAt = this.#context.clock.now()
    try {
      await this.#connection.json({
        method: 'PATCH',
        path: `${eventsPath(draft.namespace)}/${series.name}`,
        contentType: 'application/merge-patch+json',
        body: { series: { count: series.count, lastObservedTime: microTime(series.writtenAt) } },
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      await this.#create(key, draft)
    }
  }

  /** Adds the latest series, and drops the oldest where there are too many. */
  #remember(key: string, series: Series): void {
    this.#series.delete(key)
    this.#series.set(key, series)
    const [oldest] = this.#series.keys()
    if (this.#series.size > MAX_SERIES && oldest !== undefined) this.#series.delete(oldest)
  }

  #takeToken(now: number): boolean {
    this.#refilledAt ??= now
    const more = Math.floor((now - this.#refilledAt) / REFILL_INTERVAL)
    this.#tokens = Math.min(BURST, this.#tokens + more)
    this.#refilledAt += more * REFILL_INTERVAL
    if (this.#tokens === 0) return false
    this.#tokens--
    return true
  }
}

const eventsPath = (namespace: string) => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`

/** The text cut to this many bytes, without half a character. */
function truncateBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text
  return `${new TextDecoder().decode(Buffer.from(text).subarray(0, max - 3), { stream: true })}…`
}
