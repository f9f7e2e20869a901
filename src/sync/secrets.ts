const HIDDEN = '***'
const SHORTEST = 4
/** A token an hour long is not needed after many others. */
const MOST = 256
/** A user and a password, or a token alone, before the host of a URL. */
const IN_URL = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi
const IN_HEADER = /\b(authorization: *(?:basic|bearer|token) +)[^\s'"]+/gi

/** What must not be seen in a log line or an error, in whatever form it is written there. */
export class Secrets {
  /** The forms of each, longest first; the oldest leave. */
  readonly #forms = new Map<string, readonly string[]>()

  /** Takes a secret, and each line of one that has several, as a private key has. What is too short to be told from other text is left out. */
  add(text: string): void {
    const whole = text.trim()
    const lines = whole.split(/\r?\n/).map((line) => line.trim())
    for (const one of new Set([whole, ...lines])) {
      if (one.length < SHORTEST || /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(one)) continue
      this.#forms.delete(one)
      this.#forms.set(one, formsOf(one))
    }
    for (const oldest of [...this.#forms.keys()].slice(0, -MOST)) this.#forms.delete(oldest)
  }

  /** A text without them: as they are, URL-encoded, in JSON, in base64 wherever they begin, and what stands before the host of a URL. */
  scrub(text: string): string {
    const forms = [...new Set([...this.#forms.values()].flat())].sort((a, b) => b.length - a.length)
    return forms
      .reduce((scrubbed, form) => scrubbed.replaceAll(form, HIDDEN), text)
      .replace(IN_URL, (whole, scheme: string) => (/:\/\/git@$/.test(whole) ? whole : `${scheme}${HIDDEN}@`))
      .replace(IN_HEADER, `$1${HIDDEN}`)
  }
}

function formsOf(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret)
  const forms = [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    ...[0, 1, 2].map((before) => base64At(secret, before)),
  ]
  return forms
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
    .filter((form) => form.length >= SHORTEST)
}

/** The characters of base64 that a secret alone decides when so many bytes stand before it, as a user's name does. */
function base64At(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
  const text = bytes.toString('base64').replace(/=+$/, '')
  const first = Math.ceil((before * 8) / 6)
  return text.slice(first, bytes.length % 3 === 0 ? undefined : -1)
}
