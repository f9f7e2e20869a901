/**
 * A response with a status other than 2xx, or the ERROR event of a watch: a Status object, or the text where there is
 * none.
 */
export class ApiError extends Error {
  readonly status: number
  /** Kubernetes' reason, such as `Expired` or `Forbidden`; empty where the response has none. */
  readonly reason: string
  /** Milliseconds that the API server asks to wait. */
  readonly retryAfter: number | undefined

  constructor(status: number, reason: string, message: string, retryAfter?: number) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.reason = reason
    this.retryAfter = retryAfter
  }

  /** Whether a resourceVersion or a continue token is too old; only a new list helps. */
  get isExpired(): boolean {
    return this.status === 410 || this.reason === 'Expired' || this.reason === 'Gone'
  }
}

/** No byte was received for too long, as on a connection whose peer is gone. */
export class IdleTimeoutError extends Error {
  constructor(milliseconds: number) {
    super(`the API server sends nothing for ${Math.round(milliseconds / 1000)} s`)
    this.name = 'IdleTimeoutError'
  }
}

/** A response that is not in the form of the Kubernetes API. */
export class MalformedResponseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MalformedResponseError'
  }
}

/** The error of a response; `text` is its body, `retryAfter` its header, in seconds. */
export function apiErrorOf(status: number, text: string, retryAfter?: string): ApiError {
  const object = statusObjectIn(text)
  const seconds = Number(object.details?.retryAfterSeconds ?? retryAfter ?? Number.NaN)
  return new ApiError(
    object.code ?? status,
    object.reason ?? '',
    object.message ?? `the API server responds with ${status}: ${text.slice(0, 200).trim()}`,
    Number.isFinite(seconds) ? seconds * 1000 : undefined,
  )
}

interface StatusObject {
  code?: number
  reason?: string
  message?: string
  details?: { retryAfterSeconds?: number }
}

function statusObjectIn(text: string): StatusObject {
  try {
    const value = JSON.parse(text) as StatusObject & { kind?: string }
    return value?.kind === 'Status' ? value : {}
  } catch {
    return {}
  }
}

/**
 * Why a list or a watch ended: `ended` by the server after its timeout, `expired` resourceVersion, `error` event or
 * response, `throttled`, `denied`, `idleTimeout`, `malformed` line or response, `connection`; `missed` where a list
 * differs from what the watch sent.
 */
export type EndReason =
  | 'ended'
  | 'expired'
  | 'error'
  | 'throttled'
  | 'denied'
  | 'idleTimeout'
  | 'malformed'
  | 'connection'
  | 'missed'

/** How a list or a watch ended, with the message of the error that ended it. */
export interface WatchEnd {
  readonly reason: EndReason
  readonly message?: string
  /** Milliseconds that the API server asks to wait. */
  readonly retryAfter?: number
}

/** Classifies the error that ended a list, a watch or another request. */
export function watchEndOf(error: unknown): WatchEnd {
  const message = errorMessage(error)
  if (error instanceof IdleTimeoutError) return { reason: 'idleTimeout', message }
  if (error instanceof MalformedResponseError) return { reason: 'malformed', message }
  if (!(error instanceof ApiError)) return { reason: 'connection', message }
  const { status, retryAfter } = error
  if (error.isExpired) return { reason: 'expired', message, retryAfter }
  if (status === 401 || status === 403) return { reason: 'denied', message, retryAfter }
  return { reason: status === 429 ? 'throttled' : 'error', message, retryAfter }
}

/** The message of an error. Errors of the network have none: they have a code, or a list of errors. */
export function errorMessage(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: unknown[] }
  if (message !== undefined && message !== '') return message
  return errors?.[0] === undefined ? (code ?? String(error)) : errorMessage(errors[0])
}
