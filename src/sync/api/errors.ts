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
