import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Checks the body of a delivery against the signatures in its headers, while it is received. */
export interface SignatureCheck {
  update(chunk: Uint8Array): void
  /** Whether a signature is that of one of the secrets; called once, after the whole body. */
  isValid(): boolean
}

/** Milliseconds that a signed time may differ from the clock, as Standard Webhooks recommends. */
const TOLERANCE = 300_000
const SECRET_PREFIX = 'whsec_'

/**
 * The check of a delivery; undefined where its headers have no signature. A delivery is accepted with
 *
 * - GitHub's X-Hub-Signature-256: `sha256=` and the HMAC-SHA256 of the body in hex,
 * - Gitea's X-Gitea-Signature and Forgejo's X-Forgejo-Signature: the same without `sha256=`,
 * - GitLab's webhook-signature, as Standard Webhooks defines it: the HMAC-SHA256 of ID, time and body,
 * - GitLab's X-Gitlab-Token: the secret itself.
 *
 * All comparisons take the same time whatever is compared. `now` in milliseconds since 1970.
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 * https://docs.gitlab.com/user/project/integrations/webhooks/
 * https://docs.gitea.com/usage/webhooks
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureCheck(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
  now: number,
): SignatureCheck | undefined {
  const digests = bodyDigests(headers)
  const message = signedMessage(headers)
  const token = textOfHeader(headers, 'x-gitlab-token')
  if (digests.length === 0 && message === undefined && token === undefined) return undefined
  const isFresh = message !== undefined && Math.abs(now - message.time) <= TOLERANCE
  const checks = [
    ...(digests.length > 0 ? secrets.map((secret) => hmacCheck(secret, '', digests)) : []),
    ...(isFresh ? secrets.flatMap(keysOf).map((key) => hmacCheck(key, message.prefix, message.digests)) : []),
  ]
  const isToken = token !== undefined && secrets.map((secret) => isEqualText(secret, token)).includes(true)
  return {
    update(chunk) {
      for (const check of checks) check.update(chunk)
    },
    isValid: () => [isToken, ...checks.map((check) => check.isValid())].includes(true),
  }
}

function hmacCheck(key: string | Buffer, prefix: string, expected: readonly Buffer[]): SignatureCheck {
  const hmac = createHmac('sha256', key).update(prefix)
  return {
    update: (chunk) => void hmac.update(chunk),
    isValid() {
      const digest = hmac.digest()
      return expected.map((text) => timingSafeEqual(digest, text)).includes(true)
    },
  }
}

/** Well-formed digests of the body, as GitHub, Gitea and Forgejo send them. */
function bodyDigests(headers: IncomingHttpHeaders): Buffer[] {
  const texts = [
    textOfHeader(headers, 'x-hub-signature-256')?.replace(/^sha256=/, ''),
    textOfHeader(headers, 'x-gitea-signature'),
    textOfHeader(headers, 'x-forgejo-signature'),
  ]
  return texts.flatMap((text) => (text !== undefined && /^[0-9a-f]{64}$/i.test(text) ? [Buffer.from(text, 'hex')] : []))
}

interface SignedMessage {
  /** Milliseconds since 1970. */
  readonly time: number
  /** What is signed before the body. */
  readonly prefix: string
  readonly digests: readonly Buffer[]
}

function signedMessage(headers: IncomingHttpHeaders): SignedMessage | undefined {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    textOfHeader(headers, name),
  )
  if (id === undefined || time === undefined || signatures === undefined || !/^\d{1,12}$/.test(time)) return undefined
  const digests = signatures
    .split(' ')
    .flatMap((text) => (/^v1,[A-Za-z0-9+/]{43}=$/.test(text) ? [Buffer.from(text.slice(3), 'base64')] : []))
  return digests.length === 0 ? undefined : { time: Number(time) * 1000, prefix: `${id}.${time}.`, digests }
}

/** The keys that a secret stands for: its text, and with the prefix of Standard Webhooks what it encodes. */
function keysOf(secret: string): Array<string | Buffer> {
  if (!secret.startsWith(SECRET_PREFIX)) return [secret]
  return [secret, Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')]
}

function isEqualText(left: string, right: string): boolean {
  const [a, b] = [left, right].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

function textOfHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
