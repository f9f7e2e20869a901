import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { memberOf } from '../../../krm/map.ts'
import type { Clock } from '../../cluster/clock.ts'
import type { HookConfig } from '../config/check-config.ts'
import type { EngineContext } from '../context.ts'
import { type RunningServer, respond, startServer } from '../server.ts'
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

type HookOutcome = (typeof HOOK_OUTCOMES)[number]

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

/** The secrets of a folder, and what is wrong with its files. */
interface HookSecrets {
  readonly secrets: readonly string[]
  /** A sentence for each file that cannot be used, without its content. */
  readonly problems: readonly string[]
}

/** A shorter secret could be guessed. */
const MIN_LENGTH = 16
const MAX_SECRETS = 8

/**
 * Reads a mounted Secret: each of its keys is a secret that deliveries may be signed with, so that an old and a new one
 * are valid while the forge is changed. A missing folder has none.
 */
async function readHookSecrets(folder: string): Promise<HookSecrets> {
  // names that begin with a dot are the links by which the kubelet swaps a volume
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort()
  const secrets: string[] = []
  const problems: string[] = []
  for (const name of names.slice(0, MAX_SECRETS)) {
    const file = join(folder, name)
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error)
    if (text instanceof Error) problems.push(`cannot read ${file} (${text.code})`)
    else if (text.trim().length < MIN_LENGTH) problems.push(`${file} has fewer than ${MIN_LENGTH} characters`)
    else secrets.push(text.trim())
  }
  if (names.length > MAX_SECRETS) problems.push(`${folder} has more than ${MAX_SECRETS} files: the others are ignored`)
  if (names.length === 0) problems.push(`${folder} has no file: mount a Secret there`)
  return { secrets, problems }
}

/** What a delivery says of a push; both are absent where it says nothing that is understood. */
interface NamedPush {
  /** The whole name of the branch or tag, such as `refs/heads/main`. */
  readonly ref?: string
  /** The head of the branch after the push. */
  readonly commit?: string
}

/**
 * Reads the push that GitHub, GitLab, Gitea and Forgejo describe in the same two members; GitHub may send the JSON as a
 * form. A ping and any other event has neither.
 */
function namedPush(body: string): NamedPush {
  const payload = parsedJson(body.startsWith('payload=') ? (new URLSearchParams(body).get('payload') ?? '') : body)
  const [ref, commit] = [memberOf(payload, 'ref'), memberOf(payload, 'after')]
  return {
    ...(typeof ref === 'string' && ref.startsWith('refs/') ? { ref } : {}),
    ...(typeof commit === 'string' ? { commit } : {}),
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Deliveries that an address may send at once, and how many more in each second. */
const BURST = 30
const PER_SECOND = 2
/** Addresses that are remembered; the one that was seen longest ago is forgotten first. */
const MAX_ADDRESSES = 256

/** Limits the deliveries of each address, so that a flood uses up its own share alone. */
export class RateLimit {
  readonly #clock: Clock
  readonly #buckets = new Map<string, { readonly left: number; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether one more is allowed; counts it. */
  take(address: string): boolean {
    const now = this.#clock.now()
    const { left, at } = this.#buckets.get(address) ?? { left: BURST, at: now }
    // after the clock was set back nothing is added
    const refilled = Math.min(BURST, left + (Math.max(0, now - at) * PER_SECOND) / 1000)
    const isAllowed = refilled >= 1
    this.#buckets.delete(address)
    this.#buckets.set(address, { left: isAllowed ? refilled - 1 : refilled, at: now })
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > MAX_ADDRESSES && oldest !== undefined) this.#buckets.delete(oldest)
    return isAllowed
  }
}
