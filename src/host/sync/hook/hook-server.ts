import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HookConfig } from '../config/sync-config.ts'
import type { EngineContext } from '../context.ts'
import { type RunningServer, respond, startServer } from '../server.ts'
import { readHookSecrets } from './hook-secrets.ts'
import { namedPush } from './named-push.ts'
import { RateLimit } from './rate-limit.ts'
import { signatureCheck } from './signature.ts'

/** What became of a delivery, as the metric counts it. */
export const HOOK_OUTCOMES = [
  'accepted',
  'known',
  'other-branch',
  'unauthorized',
  'limited',
  'too-large',
  'no-secret',
  'aborted',
] as const

export type HookOutcome = (typeof HOOK_OUTCOMES)[number]

export interface HookOptions {
  readonly hook: HookConfig
  /** The branch that is followed. */
  readonly branch: string
  /** Fetches at once; returns whether the commit is the head that is known already. */
  readonly onPush: (commit: string | undefined) => 'accepted' | 'known'
  readonly context: EngineContext
}

/** Bytes of the largest delivery, which is that of GitHub, and of the part of it that is kept. */
const MAX_BODY = 25 << 20
const MAX_KEPT = 256 << 10
/** Milliseconds between two log lines about deliveries that are refused. */
const LOG_INTERVAL = 60_000

/** The status and the text of each response. */
const RESPONSES: Readonly<Record<HookOutcome, readonly [code: number, text: string]>> = {
  accepted: [202, 'fetching'],
  known: [200, 'nothing to fetch: this commit is known'],
  'other-branch': [200, 'nothing to fetch: another branch is followed'],
  unauthorized: [401, 'the signature is missing, or of another secret'],
  limited: [429, 'too many deliveries'],
  'too-large': [413, 'the delivery is too large'],
  'no-secret': [503, 'no secret is mounted: see the log'],
  aborted: [400, 'the delivery is incomplete'],
}

/** Serves /hook; rejects where it cannot listen on the address. */
export function startHook(options: HookOptions): Promise<RunningServer> {
  const { hook, context } = options
  const { meter, clock, log } = context
  const limit = new RateLimit(clock)
  let loggedAt = Number.NEGATIVE_INFINITY
  let loggedProblems = ''
  const onProblems = (problems: readonly string[]) => {
    const text = problems.join('; ')
    if (text !== '' && text !== loggedProblems) log.warn(`cannot use all secrets of webhooks: ${text}`)
    loggedProblems = text
  }
  const answer = (response: ServerResponse, outcome: HookOutcome, address: string) => {
    meter.hooked(outcome)
    const [code, text] = RESPONSES[outcome]
    // the rest of a refused delivery is not read
    if (code >= 400) response.setHeader('connection', 'close')
    if (code === 429) response.setHeader('retry-after', '60')
    respond(response, code, text)
    if (code < 400) return log.info(`a webhook was received: ${text}`, { outcome, address })
    if (clock.now() - loggedAt < LOG_INTERVAL) return
    loggedAt = clock.now()
    log.warn(`a webhook was refused: ${text}`, { outcome, address })
  }
  return startServer({
    ...hook,
    handle: (request, response) => {
      const [path] = (request.url ?? '').split('?')
      if (path !== '/hook') return respond(response, 404, 'the path is /hook')
      if (request.method !== 'POST') return respond(response, 405, 'use POST')
      const address = request.socket.remoteAddress ?? ''
      if (!limit.take(address)) return answer(response, 'limited', address)
      receive(request, options, onProblems).then(
        (outcome) => answer(response, outcome, address),
        () => answer(response, 'aborted', address),
      )
    },
  })
}

/** Rejects where the connection ends before the body does. */
async function receive(
  request: IncomingMessage,
  { hook, branch, onPush, context }: HookOptions,
  onProblems: (problems: readonly string[]) => void,
): Promise<HookOutcome> {
  const { secrets, problems } = await readHookSecrets(hook.secret)
  for (const secret of secrets) context.secrets.add(secret)
  onProblems(problems)
  context.meter.component('hook', secrets.length > 0)
  if (secrets.length === 0) return 'no-secret'
  const check = signatureCheck(request.headers, secrets, context.clock.now())
  if (check === undefined) return 'unauthorized'
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return 'too-large'
  const kept: Buffer[] = []
  let size = 0
  // destroying the request would take the response with it
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) return 'too-large'
    check.update(chunk)
    // a larger body may be about any branch
    if (size <= MAX_KEPT) kept.push(chunk)
    else kept.length = 0
  }
  if (!check.isValid()) return 'unauthorized'
  const { ref, commit } = namedPush(Buffer.concat(kept).toString('utf8'))
  return ref === undefined || ref === `refs/heads/${branch}` ? onPush(commit) : 'other-branch'
}
