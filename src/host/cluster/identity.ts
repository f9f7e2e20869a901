import { isUid } from '../../kube/index.ts'
import { bodyText, type Connection, type Request } from './connection.ts'
import { apiErrorOf, errorMessage } from './errors.ts'

/** Who a cluster is, and what time it has, as its API server says. */
export interface ClusterIdentity {
  /** The uid of the Namespace kube-system, which no other cluster has; undefined where it may not be read. */
  readonly uid?: string
  /** Why the uid is not known, in words. */
  readonly problem?: string
  /** Whether the API server refuses to say it, as without the right to read it; else it may say it later. */
  readonly isRefused?: boolean
  /** The time of the API server, in whole seconds; undefined where it does not say. */
  readonly time?: Date
}

/** Responses that do not pass: the right is missing, or the Namespace is. */
const REFUSED: ReadonlySet<number> = new Set([403, 404])
const PATH = '/api/v1/namespaces/kube-system'

/**
 * Reads the identity of a cluster, with one request. Rejects where no response comes; a response without the Namespace
 * leaves the uid out.
 */
export async function readIdentity(
  connection: Connection,
  options: Pick<Request, 'signal' | 'timeout'> = {},
): Promise<ClusterIdentity> {
  const response = await connection.request({ ...options, path: PATH })
  const text = await bodyText(response)
  const { status, headers } = response
  const date = Date.parse(headers.date ?? '')
  const time = Number.isNaN(date) ? {} : { time: new Date(date) }
  if (status !== 200) {
    const isRefused = REFUSED.has(status) ? { isRefused: true } : {}
    return { ...time, problem: errorMessage(apiErrorOf(status, text)), ...isRefused }
  }
  const answer = parsedJson(text)
  const uid = answer?.metadata?.uid
  if (typeof uid === 'string' && isUid(uid)) return { ...time, uid }
  // an object is the whole answer of a server that keeps none; any other text may have been cut
  const isRefused = typeof answer === 'object' ? { isRefused: true } : {}
  return { ...time, problem: 'the response has no uid of a Namespace kube-system', ...isRefused }
}

function parsedJson(text: string): { readonly metadata?: { readonly uid?: unknown } | null } | undefined {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}
