import { gunzipSync, gzipSync } from 'node:zlib'
import { type Histories, historiesText, readHistories } from '../../../facts/usage/index.ts'
import { memberOf } from '../../../krm/map.ts'
import { isTime, timeText } from '../../../kube/index.ts'
import { ApiError } from '../../cluster/errors.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { EngineContext } from '../context.ts'
import type { JsonClient } from './collector.ts'

export interface UsageHistoryOptions {
  readonly connection: JsonClient
  readonly namespace: string
  /** The name of the ConfigMap; its Role names it too. */
  readonly name: string
  readonly context: Pick<EngineContext, 'meter' | 'log'>
}

/** What the ConfigMap has: histories, and the end of the newest hour in them, in milliseconds since 1970. */
export interface Kept {
  readonly histories: Histories
  readonly until: number
}

const KEY = 'histories.json.gz'
/** The most characters that are written: the API server takes 1 MiB. */
const MOST = 900_000
/** The most bytes that a text may have when it is decompressed. */
const MOST_TEXT = 64 << 20
const TIMEOUT = 20_000
const COMPONENT = 'usage-history'

/** Keeps the histories of usage in a ConfigMap, so that a restart costs an hour and no day. It is a cache. */
export class UsageHistory {
  readonly #options: UsageHistoryOptions
  #version: string | undefined
  #loggedError = ''

  constructor(options: UsageHistoryOptions) {
    this.#options = options
  }

  /**
   * Reads what was kept; histories are empty where nothing was, or what cannot be read. Undefined where the API server
   * does not say.
   */
  async load(signal: AbortSignal): Promise<Kept | undefined> {
    const { connection, context, name } = this.#options
    this.#version = undefined
    try {
      const object = await connection.json<KubeObject>({ path: this.#path(name), signal, timeout: TIMEOUT })
      this.#version = object.metadata.resourceVersion
      const kept = keptIn(object)
      if (kept === undefined)
        context.log.warn(
          'the history of usage cannot be read and is begun anew: sizes stay, and seven days are missing',
          {
            configMap: name,
          },
        )
      this.#works()
      return kept ?? NOTHING
    } catch (error) {
      if (!isMissing(error)) return this.#fails('cannot read the history of usage: no size is settled', error, signal)
      this.#works()
      return NOTHING
    }
  }

  /** Writes the histories; returns whether they are written. Never rejects. */
  async save({ histories, until }: Kept, signal: AbortSignal): Promise<boolean> {
    const { connection, context, namespace, name } = this.#options
    try {
      const { text, dropped, hasAllKills } = compressed(histories)
      if (!hasAllKills || dropped > 0)
        context.log.warn('the history of usage is too large: its oldest kills and days are dropped', {
          days: dropped,
          configMap: name,
        })
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, ...(this.#version && { resourceVersion: this.#version }) },
        data: { until: timeText(Math.max(0, until)), series: String(histories.length) },
        binaryData: { [KEY]: text },
      }
      const request = { body, signal, timeout: TIMEOUT }
      const isNew = this.#version === undefined
      const written = await connection.json<KubeObject>(
        isNew
          ? { ...request, method: 'POST', path: this.#path() }
          : { ...request, method: 'PUT', path: this.#path(name) },
      )
      this.#version = written.metadata.resourceVersion
      this.#works()
      return true
    } catch (error) {
      // somebody has deleted it, or written it: the next time begins with what is there
      if (isMissing(error)) this.#version = undefined
      else if (error instanceof ApiError && error.status === 409) await this.#readVersion(signal)
      this.#fails('cannot write the history of usage: a restart loses what is not written', error, signal)
      return false
    }
  }

  async #readVersion(signal: AbortSignal): Promise<void> {
    const { connection, name } = this.#options
    const request = { path: this.#path(name), signal, timeout: TIMEOUT }
    this.#version = await connection.json<KubeObject>(request).then(
      ({ metadata }) => metadata.resourceVersion,
      () => undefined,
    )
  }

  #path(name?: string): string {
    const path = `/api/v1/namespaces/${this.#options.namespace}/configmaps`
    return name === undefined ? path : `${path}/${name}`
  }

  #works(): void {
    const { meter, log } = this.#options.context
    meter.component(COMPONENT, true)
    if (this.#loggedError !== '') log.info('the history of usage can be read and written again')
    this.#loggedError = ''
  }

  #fails(message: string, error: unknown, signal: AbortSignal): undefined {
    if (signal.aborted) return
    const { meter, log } = this.#options.context
    const text = error instanceof Error ? error.message : String(error)
    meter.component(COMPONENT, false)
    if (this.#loggedError !== text) log.warn(message, { configMap: this.#options.name, error: text })
    this.#loggedError = text
  }
}

const NOTHING: Kept = { histories: [], until: Number.NEGATIVE_INFINITY }

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

function keptIn(object: KubeObject): Kept | undefined {
  const [text, until] = [memberOf(memberOf(object, 'binaryData'), KEY), memberOf(memberOf(object, 'data'), 'until')]
  if (typeof text !== 'string' || typeof until !== 'string' || !isTime(until)) return undefined
  try {
    const histories = readHistories(
      gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: MOST_TEXT }).toString('utf8'),
    )
    return histories && { histories, until: Date.parse(until) }
  } catch {
    // it is not what gzip has written
    return undefined
  }
}

interface Compressed {
  readonly text: string
  /** How many of the oldest days are left out. */
  readonly dropped: number
  readonly hasAllKills: boolean
}

/** The newest kills of a series, which are kept in any case. */
const LEAST_KILLS = 20

/**
 * The histories as text that fits into a ConfigMap: without the older kills of each series if need be, then without the
 * oldest days.
 */
function compressed(histories: Histories): Compressed {
  let left = histories
  let hasAllKills = true
  for (let dropped = 0; ; ) {
    const text = gzipSync(historiesText(left), { level: 9 }).toString('base64')
    if (text.length <= MOST) return { text, dropped, hasAllKills }
    const oldest = oldestDay(left)
    if (hasAllKills) {
      hasAllKills = false
      left = left.map(([key, history]) => [key, { ...history, kills: history.kills.slice(-LEAST_KILLS) }])
    } else if (oldest === undefined) return { text, dropped, hasAllKills }
    else {
      dropped++
      left = left.map(([key, history]) => [key, { ...history, days: history.days.filter(({ date }) => date > oldest) }])
    }
  }
}

function oldestDay(histories: Histories): string | undefined {
  return histories.flatMap(([, { days }]) => days.map(({ date }) => date)).sort()[0]
}
