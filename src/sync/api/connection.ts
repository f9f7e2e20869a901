import { type Clock, systemClock } from '../clock.ts'
import { type Meter, silentMeter } from '../meter.ts'
import { errorOf, Unreadable } from './errors.ts'
import { accessOf } from './kubeconfig.ts'
import { type Answer, type Ask, send } from './send.ts'

/** The way to one API server. */
export interface Connection {
  /** The namespace that the connection's own objects stand in: the pod's, or that of the context. */
  readonly namespace: string | undefined
  /**
   * One request. Whatever the status, the answer is given as soon as its head is there; its body must be read to its end or left by
   * breaking out of the loop. Rejects where there is no answer, and with `Silence` where nothing was heard for `timeout` milliseconds.
   */
  request(ask: Ask): Promise<Answer>
  /** One request whose answer is JSON; rejects with `ApiError` for every status but 2xx, with `Unreadable` for what is no JSON. */
  json<T>(ask: Ask): Promise<T>
}

/**
 * A connection to the API server of the pod that this runs in, or of a kubeconfig file. Certificates and tokens are read from their
 * files again and again, and at once where the server knows a token no longer. Throws a sentence where there is no server to be found.
 */
export function connect({
  kubeconfig,
  context,
  clock = systemClock,
  meter = silentMeter,
}: {
  kubeconfig?: string
  context?: string
  clock?: Clock
  meter?: Meter
} = {}): Connection {
  const access = accessOf({ kubeconfig, context })
  const request = async (ask: Ask): Promise<Answer> => {
    const answer = await send(access, ask, clock, meter)
    if (answer.status !== 401) return answer
    // the token may have been replaced since it was read
    for await (const _ of answer.body);
    access.renew()
    return send(access, ask, clock, meter)
  }
  return { namespace: access.namespace, request, json: (ask) => jsonOf(request, ask) }
}

async function jsonOf<T>(request: Connection['request'], ask: Ask): Promise<T> {
  const answer = await request({ isCompressed: true, ...ask })
  const text = await textOf(answer)
  const { status, headers } = answer
  if (status < 200 || status > 299) throw errorOf(status, text, headers['retry-after'])
  try {
    return JSON.parse(text) as T
  } catch {
    throw new Unreadable(`the answer to ${ask.path} is no JSON: ${text.slice(0, 80).trim()}`)
  }
}

/** The whole body as text. */
export async function textOf({ body }: Answer): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
