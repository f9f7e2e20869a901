import type { Connection } from './connection.ts'
import { ApiError, MalformedResponseError } from './errors.ts'

/** What every Kubernetes object has; `trim` reads the other fields. */
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

/** The trimmed objects of a whole list, and the resourceVersion to watch from (empty where the API has none). */
export interface Listed<T> {
  readonly items: T[]
  readonly resourceVersion: string
}

export interface ListOptions<T> {
  /** Objects per request. Default: 500. */
  readonly pageSize?: number
  readonly query?: Readonly<Record<string, string | undefined>>
  /** The part of an object to keep; undefined leaves the object out. */
  readonly trim: (object: KubeObject) => T | undefined
  readonly signal?: AbortSignal
  /** Milliseconds without a byte after which a page fails. */
  readonly timeout?: number
  /** Called for every page that was received. */
  readonly onPage?: () => void
}

const MAX_ATTEMPTS = 3

/**
 * Reads the whole list in pages, and trims each as it arrives: at most one page of full objects is in memory. A list
 * whose pages are of different versions is discarded and read again, up to three times. Rejects as `Connection.json`
 * does.
 */
export async function list<T>(connection: Connection, path: string, options: ListOptions<T>): Promise<Listed<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listOnce(connection, path, options)
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isInconsistent(error)) throw error
    }
  }
}

/**
 * The pages are not of one list: the server has dropped the version of the first page, or responds with another one.
 */
class InconsistentListError extends MalformedResponseError {}

const isInconsistent = (error: unknown) =>
  error instanceof InconsistentListError || (error instanceof ApiError && error.isExpired)

async function listOnce<T>(
  connection: Connection,
  path: string,
  { pageSize = 500, query, trim, signal, timeout, onPage }: ListOptions<T>,
): Promise<Listed<T>> {
  const items: T[] = []
  const tokens = new Set<string>()
  let version: string | undefined
  for (let token = ''; ; ) {
    const request = { path, query: { ...query, limit: pageSize, continue: token || undefined }, signal, timeout }
    const page = parsePage(await connection.json<unknown>(request), path)
    onPage?.()
    if (page.version !== (version ?? page.version))
      throw new InconsistentListError(`two pages of the list ${path} have different resourceVersions`)
    version = page.version
    for (const object of page.items) {
      const trimmed = trim(object)
      if (trimmed !== undefined) items.push(trimmed)
    }
    if (page.token === '') return { items, resourceVersion: version }
    if (tokens.has(page.token)) throw new InconsistentListError(`the list ${path} repeats a continue token`)
    tokens.add(page.token)
    token = page.token
  }
}

interface Page {
  readonly items: readonly KubeObject[]
  readonly version: string
  readonly token: string
}

function parsePage(value: unknown, path: string): Page {
  const page = value as {
    kind?: string
    metadata?: { resourceVersion?: string; continue?: string }
    items?: unknown
  } | null
  const items = page?.items ?? (page?.kind?.endsWith('List') ? [] : undefined)
  if (!Array.isArray(items)) throw new MalformedResponseError(`the response to ${path} is not a list`)
  return { items, version: page?.metadata?.resourceVersion ?? '', token: page?.metadata?.continue ?? '' }
}
