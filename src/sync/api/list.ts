import type { Connection } from './connection.ts'
import { ApiError, Unreadable } from './errors.ts'

/** What every object has; the rest is the affair of whoever trims it. */
export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
  readonly [field: string]: unknown
}

/** What is kept of a whole list, and the version that a watch goes on from (empty where the API has none). */
export interface Listed<T> {
  readonly items: T[]
  readonly resourceVersion: string
}

export interface ListOptions<T> {
  /** Objects a request, 500 unless told. */
  readonly pageSize?: number
  readonly query?: Readonly<Record<string, string | undefined>>
  /** What is kept of an object; undefined leaves it out. */
  readonly trim: (object: KubeObject) => T | undefined
  readonly signal?: AbortSignal
  /** Milliseconds that a page may be silent. */
  readonly timeout?: number
  /** Told of every page that came. */
  readonly onPage?: () => void
}

const TRIES = 3

/**
 * The whole list in pages, each trimmed as it arrives, so that never more than a page of full objects is in memory. A list whose pages do
 * not belong together is discarded whole and begun anew, three times at most; rejects as `Connection.json` does, and with `Unreadable`.
 */
export async function list<T>(connection: Connection, path: string, options: ListOptions<T>): Promise<Listed<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listOnce(connection, path, options)
    } catch (error) {
      if (attempt === TRIES || !isTorn(error)) throw error
    }
  }
}

/** Pages that are not of one list: the server has forgotten the version of the first, or answers with another one. */
class Torn extends Unreadable {}

const isTorn = (error: unknown) => error instanceof Torn || (error instanceof ApiError && error.isExpired)

async function listOnce<T>(
  connection: Connection,
  path: string,
  { pageSize = 500, query, trim, signal, timeout, onPage }: ListOptions<T>,
): Promise<Listed<T>> {
  const items: T[] = []
  const tokens = new Set<string>()
  let version: string | undefined
  for (let token = ''; ; ) {
    const ask = { path, query: { ...query, limit: pageSize, continue: token || undefined }, signal, timeout }
    const page = pageOf(await connection.json<unknown>(ask), path)
    onPage?.()
    if (page.version !== (version ?? page.version)) throw new Torn(`two pages of ${path} are not of one list`)
    version = page.version
    for (const object of page.items) {
      const kept = trim(object)
      if (kept !== undefined) items.push(kept)
    }
    if (page.token === '') return { items, resourceVersion: version }
    if (tokens.has(page.token)) throw new Torn(`a page of ${path} comes after itself`)
    tokens.add(page.token)
    token = page.token
  }
}

interface Page {
  readonly items: readonly KubeObject[]
  readonly version: string
  readonly token: string
}

function pageOf(value: unknown, path: string): Page {
  const page = value as {
    kind?: string
    metadata?: { resourceVersion?: string; continue?: string }
    items?: unknown
  } | null
  const items = page?.items ?? (page?.kind?.endsWith('List') ? [] : undefined)
  if (!Array.isArray(items)) throw new Unreadable(`the answer to ${path} is no list`)
  return { items, version: page?.metadata?.resourceVersion ?? '', token: page?.metadata?.continue ?? '' }
}
