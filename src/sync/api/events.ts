import { hostname } from 'node:os'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Connection } from './connection.ts'
import { ApiError, endOf } from './errors.ts'
import { microTime } from './lease.ts'

/** The object that an Event is about. */
export interface Regarding {
  readonly apiVersion?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

/** What is said of what. */
export interface Happening {
  /** Where the Event stands: the namespace of what it is about, `default` for what has none. */
  readonly namespace: string
  readonly regarding: Regarding
  readonly type: 'Normal' | 'Warning'
  /** Why, in one word in camel case, for programs. */
  readonly reason: string
  /** What happened, for people. */
  readonly note: string
  /** What was done or tried, in one word in camel case: `Sync` unless told. */
  readonly action?: string
  readonly clock: Clock
  readonly log: Log
}

interface Series {
  readonly name: string
  count: number
  written: number
}

/** The API server takes no longer ones. */
const LONGEST_NOTE = 1024
const LONGEST_WORD = 128
/** As many Events at once, and one more after each while. */
const BURST = 20
const ONE_MORE = 30_000
/** A repetition is written no more often. */
const REPETITION = 60_000
/** An Event that long unrepeated is a new one: the API server forgets it after an hour. */
const ONE_SERIES = 1_800_000
const MOST_SERIES = 100

const recorders = new WeakMap<Connection, Recorder>()

/**
 * Says in an Event of Kubernetes what happens, where `kubectl get events` shows it. What repeats is counted in one Event and written once a
 * minute at most; more than a few in a short time are left out. An Event that the API server refuses is a line of the log and nothing else:
 * what is given ends when the server has it or not, and never rejects.
 */
export function postEvent(connection: Connection, happening: Happening): Promise<void> {
  const recorder = recorders.get(connection) ?? new Recorder(connection)
  recorders.set(connection, recorder)
  return recorder.record(happening)
}

/** What was said of late by one connection. */
class Recorder {
  readonly #connection: Connection
  readonly #series = new Map<string, Series>()
  #left = BURST
  #filled: number | undefined
  #number = 0
  #said = ''

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async record(happening: Happening): Promise<void> {
    const { clock, log, ...rest } = happening
    const now = clock.now()
    try {
      const key = JSON.stringify(rest)
      const series = this.#series.get(key)
      if (series === undefined || now - series.written > ONE_SERIES) return await this.#create(key, happening)
      series.count++
      if (now - series.written >= REPETITION && this.#mayWrite(now)) await this.#repeat(key, series, happening)
    } catch (error) {
      const text = endOf(error).message ?? ''
      if (text !== this.#said) log.warn('an Event could not be written', { reason: happening.reason, error: text })
      this.#said = text
    }
  }

  async #create(key: string, { namespace, regarding, type, reason, note, action, clock }: Happening): Promise<void> {
    const now = clock.now()
    if (!this.#mayWrite(now)) return
    const name = `nodefit-sync.${now.toString(16)}${(this.#number++ % 0x1000).toString(16).padStart(3, '0')}`
    this.#remember(key, { name, count: 1, written: now })
    await this.#connection.json({
      method: 'POST',
      path: folderOf(namespace),
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name, namespace },
        eventTime: microTime(now),
        reportingController: 'nodefit.dev/sync',
        reportingInstance: hostname().slice(0, LONGEST_WORD) || 'nodefit-sync',
        action: (action ?? 'Sync').slice(0, LONGEST_WORD),
        reason: reason.slice(0, LONGEST_WORD),
        note: cut(note, LONGEST_NOTE),
        type,
        regarding,
      },
    })
  }

  async #repeat(key: string, series: Series, happening: Happening): Promise<void> {
    const { clock, namespace } = happening
    series.written = clock.now()
    try {
      await this.#connection.json({
        method: 'PATCH',
        path: `${folderOf(namespace)}/${series.name}`,
        contentType: 'application/merge-patch+json',
        body: { series: { count: series.count, lastObservedTime: microTime(clock.now()) } },
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      await this.#create(key, happening)
    }
  }

  /** Remembers it as the latest one, and forgets the oldest. */
  #remember(key: string, series: Series): void {
    this.#series.delete(key)
    this.#series.set(key, series)
    const [oldest] = this.#series.keys()
    if (this.#series.size > MOST_SERIES && oldest !== undefined) this.#series.delete(oldest)
  }

  #mayWrite(now: number): boolean {
    this.#filled ??= now
    const more = Math.floor((now - this.#filled) / ONE_MORE)
    this.#left = Math.min(BURST, this.#left + more)
    this.#filled += more * ONE_MORE
    if (this.#left === 0) return false
    this.#left--
    return true
  }
}

const folderOf = (namespace: string) => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`

/** A text of so many bytes at most, without half a character. */
function cut(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  return `${new TextDecoder().decode(Buffer.from(text).subarray(0, most - 3), { stream: true })}…`
}
