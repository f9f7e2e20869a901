/** What the API server says where it does not do what was asked: a Status object, or the little that an answer without one says. */
export class ApiError extends Error {
  readonly status: number
  /** One word of Kubernetes, such as `Expired` or `Forbidden`; empty where none was given. */
  readonly reason: string
  /** Milliseconds to wait, where the server says so. */
  readonly retryAfter: number | undefined

  constructor(status: number, reason: string, message: string, retryAfter?: number) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.reason = reason
    this.retryAfter = retryAfter
  }

  /** Whether a resource version or a continue token is too old: only a new list helps. */
  get isExpired(): boolean {
    return this.status === 410 || this.reason === 'Expired' || this.reason === 'Gone'
  }
}

/** The other side said nothing for too long, as on a connection whose other end is gone. */
export class Silence extends Error {
  constructor(milliseconds: number) {
    super(`nothing came from the API server for ${Math.round(milliseconds / 1000)} s`)
    this.name = 'Silence'
  }
}

/** An answer that is not what the API of Kubernetes gives. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Unreadable'
  }
}

/** The error that a Status object or any other text of a refusal stands for; `retryAfter` is the header, in seconds. */
export function errorOf(status: number, text: string, retryAfter?: string): ApiError {
  const said = statusIn(text)
  const seconds = Number(said.details?.retryAfterSeconds ?? retryAfter ?? Number.NaN)
  return new ApiError(
    said.code ?? status,
    said.reason ?? '',
    said.message ?? `the API server answered ${status}: ${text.slice(0, 200).trim()}`,
    Number.isFinite(seconds) ? seconds * 1000 : undefined,
  )
}

interface Status {
  code?: number
  reason?: string
  message?: string
  details?: { retryAfterSeconds?: number }
}

function statusIn(text: string): Status {
  try {
    const value = JSON.parse(text) as Status & { kind?: string }
    return value?.kind === 'Status' ? value : {}
  } catch {
    return {}
  }
}

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
