const REPLACEMENT = '***'
/** A shorter text would match too much else. */
const MIN_LENGTH = 4
/** Tokens live for an hour; after this many newer ones a token has expired. */
const MAX_SECRETS = 256
/** A user and password, or a token, before the host of a URL. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi
const AUTHORIZATION = /\b(authorization: *(?:basic|bearer|token) +)[^\s'"]+/gi

/** The secrets that are removed from log lines and errors, in every encoding. */
export class Secrets {
  /** The encodings of each secret, the oldest secret first. */
  readonly #encodings = new Map<string, readonly string[]>()

  /** Adds a secret, and each of its lines, as of a private key. Texts of fewer than four characters are ignored. */
  add(text: string): void {
    const whole = text.trim()
    const lines = whole.split(/\r?\n/).map((line) => line.trim())
    for (const secret of new Set([whole, ...lines])) {
      if (secret.length < MIN_LENGTH || /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(secret)) continue
      this.#encodings.delete(secret)
      this.#encodings.set(secret, encodingsOf(secret))
    }
    for (const oldest of [...this.#encodings.keys()].slice(0, -MAX_SECRETS)) this.#encodings.delete(oldest)
  }

  /**
   * Replaces all secrets in a text: plain, URL-encoded, in JSON, in base64 at any offset; and the user info of every
   * URL.
   */
  scrub(text: string): string {
    const encodings = [...new Set([...this.#encodings.values()].flat())].sort((a, b) => b.length - a.length)
    return encodings
      .reduce((scrubbed, encoding) => scrubbed.replaceAll(encoding, REPLACEMENT), text)
      .replace(USER_INFO, (whole, scheme: string) => (/:\/\/git@$/.test(whole) ? whole : `${scheme}${REPLACEMENT}@`))
      .replace(AUTHORIZATION, `$1${REPLACEMENT}`)
  }
}

function encodingsOf(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret)
  const encodings = [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    ...[0, 1, 2].map((offset) => base64At(secret, offset)),
  ]
  return encodings
    .flatMap((encoding) => [encoding, encoding.replaceAll('+', '-').replaceAll('/', '_')])
    .filter((encoding) => encoding.length >= MIN_LENGTH)
}

/** The base64 characters that depend on the secret alone, where `offset` bytes precede it, such as a user name. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  const text = bytes.toString('base64').replace(/=+$/, '')
  const first = Math.ceil((offset * 8) / 6)
  return text.slice(first, bytes.length % 3 === 0 ? undefined : -1)
}
